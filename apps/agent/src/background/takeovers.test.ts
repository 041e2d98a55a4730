import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { localUser, newId } from '@pilothouse/store';
import { isDue, takeRun } from '@pilothouse/store/testing/runs';
import { until } from '../../../../testkit/until.ts';
import { type Runtime, startRuntime } from '../../testing/runtime.ts';
import { createBrowsers } from '../browsers/browsers.ts';
import { startIdleBrowsers } from './idle-browsers.ts';
import { startTakeovers } from './takeovers.ts';

describe('takeovers that no running task handles', () => {
  let runtime: Runtime;
  let host: Awaited<ReturnType<Runtime['addHost']>>;
  before(async () => {
    runtime = await startRuntime({ hosts: ['p1'] });
    host = await runtime.addHost('p1');
  });
  after(async () => {
    await host?.close();
    await runtime?.close();
  });

  const ask = (sessionId: string, taskId: string | null, { isStopping = true } = {}) =>
    runtime.store.change(sessionId, async (tx, append) => {
      const asked = {
        sessionId,
        taskId,
        holderId: localUser.id,
        reason: null,
        leaseSecs: 60,
        tokenHash: randomBytes(32),
      };
      const row = await runtime.store.takeovers.request(tx, append, asked);
      assert.ok(row);
      if (isStopping) await runtime.store.takeovers.stop(tx, append, row);
      return row;
    });
  const standing = (sessionId: string) => runtime.store.takeovers.standingOf(sessionId);
  const age = (id: string) =>
    runtime.store.transaction(({ client }) =>
      client.query(`update takeovers set expires_at = clock_timestamp() - interval '1 s' where id = $1`, [id]),
    );
  /** Two agents look, as in a larger installation. */
  async function whileSeenTo(watch: () => Promise<void>): Promise<void> {
    const { store, bus, log } = runtime;
    const two = [1, 2].map(() =>
      startTakeovers({ store, log, browsers: createBrowsers({ store, bus, log }), everyMs: 100 }),
    );
    await watch().finally(() => Promise.all(two.map((one) => one.close())));
  }

  it('get one browser where the session has none, and it is not parked while the person drives', async () => {
    const sessionId = await runtime.newSession();
    const { id } = await ask(sessionId, null);
    const { store, bus, log } = runtime;
    await whileSeenTo(async () => {
      await until(async () => (await standing(sessionId))?.status === 'active', 20_000);
      const browser = await store.browsers.of(sessionId);
      assert.equal(browser?.is_live, true);
      assert.equal((await standing(sessionId))?.epoch, browser?.epoch);
      assert.equal(host.host.status().sessions.filter((one) => one.session_id === sessionId).length, 1);
      // An idle browser is parked meanwhile.
      const idle = await runtime.newSession();
      await runtime.open(idle, 'p1', host.bootId);
      const parking = startIdleBrowsers({ bus, store, log, idleMs: 1, everyMs: 50 });
      await until(async () => (await store.browsers.of(idle))?.host_id === null, 20_000).finally(parking.close);
      assert.equal((await store.browsers.of(sessionId))?.epoch, browser?.epoch, 'it stays');
      const told = (await store.events.last(sessionId, 50)).flatMap(({ kind, data }) =>
        kind === 'takeover' ? (data.takeover as { status: string }).status : [],
      );
      assert.deepEqual(told, ['requested', 'active'], 'told once each');
      await age(id);
      await until(async () => (await standing(sessionId)) === undefined, 5000);
    });
    assert.equal((await store.sessions.byId(sessionId))?.status, 'idle');
  });

  it('begin at once where the task came to wait for an answer after the person asked', async () => {
    const { store } = runtime;
    const sessionId = await runtime.newSession();
    await runtime.open(sessionId, 'p1', host.bootId);
    const { id } = await runtime.newTask(sessionId);
    const begun = await store.change(sessionId, (tx) => store.tasks.beginExecution(tx, id, newId()));
    assert.ok(begun);
    await ask(sessionId, id, { isStopping: false });
    // A later takeover, of a session without a task.
    const other = await runtime.newSession();
    await ask(other, null);
    await whileSeenTo(async () => {
      await until(async () => (await standing(other))?.status === 'active', 20_000);
      assert.equal((await standing(sessionId))?.status, 'requested', 'its agent is at work');
      const question = { text: 'Ready?', stepId: 'step-1', expiresInSecs: 3600 };
      const held = { id, executionId: begun.executionId };
      await store.change(sessionId, (tx) => store.questions.ask(tx, held, question, null));
      await until(async () => (await standing(sessionId))?.status === 'active', 10_000);
    });
    assert.equal((await store.tasks.byId(id))?.status, 'takeover');
  });

  it('end once when they expire, and the task is due', async () => {
    const { store } = runtime;
    const sessionId = await runtime.newSession();
    await runtime.open(sessionId, 'p1', host.bootId);
    const { id: taskId } = await runtime.newTask(sessionId);
    await takeRun(store, taskId);
    await store.change(sessionId, (tx) => store.tasks.beginExecution(tx, taskId, newId()));
    const { id } = await ask(sessionId, taskId);
    assert.equal((await store.tasks.byId(taskId))?.status, 'takeover');
    await whileSeenTo(async () => {
      await until(async () => (await standing(sessionId))?.status === 'active', 10_000);
      await age(id);
      await until(async () => (await store.tasks.byId(taskId))?.status === 'running', 5000);
    });
    assert.equal((await standing(sessionId))?.status, 'resuming');
    assert.ok(await isDue(store, taskId));
    const { rows: lines } = await store.logs.listOf(taskId, { limit: 10 });
    assert.equal(lines.filter(({ message }) => message.includes('The takeover was not used')).length, 1);
  });

  it('are all handled, however many of them wait for a browser, and one that fails is tried again later', async () => {
    const { store, bus, log } = runtime;
    const sessions: string[] = [];
    for (let i = 0; i < 55; i += 1) {
      const sessionId = await runtime.newSession();
      await ask(sessionId, null);
      sessions.push(sessionId);
    }
    const asked: string[] = [];
    const [failing] = sessions;
    const browsers = {
      ...createBrowsers({ store, bus, log }),
      // As while every host is full.
      ensure: async ({ id }: { id: string }, { signal }: { signal: AbortSignal }) => {
        asked.push(id);
        if (id === failing) throw new Error('no host answers');
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
        return assert.fail();
      },
    };
    const agent = startTakeovers({ store, log, browsers, everyMs: 50 });
    await until(() => sessions.every((id) => asked.includes(id)), 20_000).finally(() => agent.close());
    const counts = sessions.slice(1).map((id) => asked.filter((one) => one === id).length);
    assert.ok(
      counts.every((count) => count === 1),
      'each once while it is under way',
    );
    for (const id of sessions)
      await store.change(id, (tx, append) => store.takeovers.endAll(tx, append, { sessionId: id }));
  });
});
