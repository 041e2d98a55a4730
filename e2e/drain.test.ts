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
  const stepsOf = async (id: string) =>
    (await installation.client.listExecutions({ id })).executions.flatMap((one) => one.steps);
  const orderBy = (name: string) =>
    [
      `open ${installation.shop.url}/`,
      'click "Add Brass lantern to basket"',
      `type "${name}" into "Name"`,
      'ask "Is this the right name?"',
      'click "Place order"',
    ].join('\n');
  /** Tasks that have typed and now wait for a person, one after the other: so there is one at each host. */
  async function startBuyers(names: string[]): Promise<string[]> {
    const ids: string[] = [];
    for (const name of names) {
      const { task_id } = await installation.client.sendChat({ prompt: orderBy(name) });
      await until(async () => (await statusOf(task_id)).status === 'awaiting_user', 60_000);
      ids.push(task_id);
    }
    return ids;
  }
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
    const buyers = await startBuyers(['Ann', 'Bob']);
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

    const all = [...ids, ...buyers];
    for (const id of buyers) await client.signalTakeover({ id, answer: 'Yes' });
    await until(async () => (await Promise.all(all.map(statusOf))).every(({ finished_at }) => finished_at), 120_000);
    for (const id of ids) {
      const { status, last_error } = await statusOf(id);
      assert.equal(status, 'success', last_error ?? '');
      assert.equal((await stepsOf(id)).length, 1 + 3 * rounds, 'one attempt for each step');
    }
    const added = shop.posts.filter(({ path }) => path === '/basket');
    assert.equal(added.length, ids.length * rounds + buyers.length, 'each of them once');
    assert.equal(new Set(added.map(({ visitor }) => visitor)).size, all.length, 'with the cookies of before');
    const orders = shop.posts.filter(({ path }) => path === '/orders').map(({ body }) => body);
    assert.deepEqual(orders.toSorted(), ['name=Ann', 'name=Bob'], 'also what was typed at the host that is gone');
    const typed = await Promise.all(buyers.map(async (id) => (await stepsOf(id)).filter(({ index }) => index === 3)));
    assert.deepEqual(typed.map(({ length }) => length).toSorted(), [1, 2], 'again at the other host');
    const { snapshot } = await client.getSession({ id: resting.id });
    assert.ok(snapshot.last_frame, 'what rested is there');
  });
});
