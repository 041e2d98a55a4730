import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import { until } from '../testkit/until.ts';

const rounds = 12;

describe('a host that is told to end', () => {
  let installation: Installation;
  before(async () => {
    process.env.HOST_DRAIN_SECS = '24';
    installation = await openInstallation('drain', { browsers: 2 });
  });
  after(async () => {
    delete process.env.HOST_DRAIN_SECS;
    await installation?.close();
  });

  const statusOf = async (id: string) => (await installation.client.getTaskStatus({ id })).status;
  const isGone = (pid: number) => {
    try {
      process.kill(pid, 0);
      return false;
    } catch {
      return true;
    }
  };

  it('ends when its tasks go on elsewhere, between two steps: none is lost, and no step is done twice', async (test) => {
    const { client, shop, stack } = installation;
    const prompt = [
      `open ${shop.url}/`,
      ...Array.from({ length: rounds }, () => `click "Add Brass lantern to basket"\nwait 2 s\nopen ${shop.url}/`),
    ].join('\n');
    const { session: resting } = await client.createSession();
    const { task_id: visit } = await client.sendChat({ prompt: `open ${shop.url}/`, session_id: resting.id });
    await until(async () => (await statusOf(visit)).status === 'success', 60_000);
    const tasks = await Promise.all([1, 2, 3, 4].map(() => client.sendChat({ prompt, time_limit_secs: 300 })));
    const ids = tasks.map(({ task_id }) => task_id);
    await until(
      async () => (await Promise.all(ids.map(statusOf))).every(({ current_step }) => current_step > 3),
      60_000,
    );

    const pid = stack.status().processes['browser-1']?.pid;
    assert.ok(pid);
    const begun = performance.now();
    process.kill(pid, 'SIGTERM');
    await until(() => isGone(pid), 60_000);
    test.diagnostic(`gone after ${Math.round(performance.now() - begun)} ms`);

    await until(async () => (await Promise.all(ids.map(statusOf))).every(({ finished_at }) => finished_at), 120_000);
    for (const id of ids) {
      const { status, last_error } = await statusOf(id);
      assert.equal(status, 'success', last_error ?? '');
      const { executions } = await client.listExecutions({ id });
      const steps = executions.flatMap((one) => one.steps);
      assert.equal(steps.length, 1 + 3 * rounds, 'one attempt for each step');
    }
    assert.equal(shop.posts.length, ids.length * rounds, 'each of them once');
    assert.equal(new Set(shop.posts.map(({ visitor }) => visitor)).size, ids.length, 'with the cookies of before');
    const { snapshot } = await client.getSession({ id: resting.id });
    assert.ok(snapshot.last_frame, 'what rested is there');
  });
});
