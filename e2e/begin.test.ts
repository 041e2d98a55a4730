import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Installation, openInstallation } from '../testkit/installation.ts';

/** Between two looks of an agent for tasks that are due: nobody who waits for one is quick. */
const pollMs = 10_000;

describe('a task', () => {
  let installation: Installation;
  before(async () => {
    process.env.AGENT_POLL_MS = String(pollMs);
    installation = await openInstallation('begin', { agents: 2 });
  });
  after(async () => {
    delete process.env.AGENT_POLL_MS;
    await installation?.close();
  });

  it('begins when it is there, and not when an agent would look for it', async () => {
    for (let i = 0; i < 6; i += 1) {
      const steps = [{ action: 'wait', for: { secs: 0 } } as const];
      const { task_id } = await installation.client.sendChat({ prompt: 'wait', steps });
      const begun = performance.now();
      for await (const event of installation.client.followTask(
        { id: task_id },
        { signal: AbortSignal.timeout(30_000) },
      )) {
        if (event.type === 'status' && event.status.status !== 'pending') break;
      }
      assert.ok(performance.now() - begun < pollMs / 4, `the ${i + 1}. waited ${performance.now() - begun} ms`);
    }
  });
});
