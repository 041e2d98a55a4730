import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Step } from '@pilothouse/contract';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import { type Office, startOffice } from '../testkit/pages/office.ts';

describe('tasks of many sessions', () => {
  let installation: Installation;
  let office: Office;
  before(async () => {
    process.env.QUOTA_OPEN_TASKS = '100';
    process.env.HOST_CAPACITY = '8';
    office = await startOffice();
    installation = await openInstallation('order', { sites: [office.url] });
  });
  after(async () => {
    delete process.env.QUOTA_OPEN_TASKS;
    delete process.env.HOST_CAPACITY;
    await installation?.close();
    await office?.close();
  });

  async function ended(id: string) {
    const deadline = performance.now() + 120_000;
    for (;;) {
      const { status } = await installation.client.getTaskStatus({ id });
      if (status.finished_at)
        return { ...status, from: Date.parse(status.started_at ?? ''), to: Date.parse(status.finished_at) };
      if (performance.now() > deadline) assert.fail(`did not end: ${status.status}`);
      await sleep(200);
    }
  }

  it('run in their order within each, and none waits for another session while there is room', async () => {
    const steps: Step[] = [
      { action: 'navigate', url: `${office.url}/?slow_ms=300` },
      { action: 'type', target: 'Note', text: 'x' },
    ];
    const { session } = await installation.client.createSession();
    const send = (session_id?: string) => installation.client.sendChat({ prompt: 'work', session_id, steps });
    const long: string[] = [];
    for (let i = 0; i < 20; i++) long.push((await send(session.id)).task_id);
    // Behind all of those in time, and in sessions of their own.
    const others = await Promise.all(
      Array.from({ length: 7 }, async () => {
        const { session_id, task_id } = await send();
        return [task_id, (await send(session_id)).task_id, (await send(session_id)).task_id];
      }),
    );
    const [first, ...rest] = await Promise.all([long, ...others].map((ids) => Promise.all(ids.map(ended))));
    for (const tasks of [first ?? [], ...rest]) {
      assert.ok(
        tasks.every(({ status }) => status === 'success'),
        String(tasks.map(({ last_error }) => last_error)),
      );
      for (const [i, { from }] of tasks.entries()) assert.ok(from >= (tasks[i - 1]?.to ?? 0), 'one after the other');
    }
    const endOfLong = Math.max(...(first ?? []).map(({ to }) => to));
    for (const tasks of rest) assert.ok(Math.max(...tasks.map(({ to }) => to)) < endOfLong, 'waited for the long one');
  });
});
