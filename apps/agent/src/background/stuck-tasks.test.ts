import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { createLog } from '@pilothouse/process';
import { localUser, newId, openStore, type Store } from '@pilothouse/store';
import { createTestDatabase, type TestDatabase } from '@pilothouse/store/testing';
import { isDue, takeRun } from '@pilothouse/store/testing/runs';
import { Registry } from 'prom-client';
import { until } from '../../../../testkit/until.ts';
import { startStuckTasks } from './stuck-tasks.ts';

const log = createLog('agent', 'silent');
const me = randomUUID();

describe('a task that no agent works on', () => {
  let database: TestDatabase;
  let store: Store;
  before(async () => {
    database = await createTestDatabase();
    store = openStore({ url: database.url, blobDir: '/nonexistent', onError: () => {} });
    await store.users.ensureLocal();
    const presence = await store.agents.enter(me);
    after(presence.leave);
  });
  after(async () => {
    await store?.close();
    await database?.close();
  });

  const sql = (text: string, values: unknown[]) => store.transaction(({ client }) => client.query(text, values));
  async function newTask(sessionId = newId()): Promise<{ id: string; sessionId: string }> {
    const id = newId();
    await store.change(sessionId, async (tx) => {
      if (!(await store.sessions.locked(tx, sessionId)))
        await store.sessions.create(tx, localUser, { id: sessionId, viewport: { width: 1280, height: 720 } });
      const given = { id, sessionId, title: 't', prompt: 'p', plan: { steps: [] }, settings: {}, totalSteps: 1 };
      await store.tasks.create(tx, localUser, given);
    });
    return { id, sessionId };
  }
  const forget = (id: string) => sql('update tasks set run_due_at = null where id = $1', [id]);
  const wasSaid = async (sessionId: string) =>
    JSON.stringify(await store.events.last(sessionId, 10)).includes('No agent worked on the task');

  /** Two agents look, as in a larger installation. */
  async function caughtWhile(watch: () => Promise<void>) {
    const metrics = [new Registry(), new Registry()];
    const nets = metrics.map((one) => startStuckTasks({ store, log, metrics: one, everyMs: 50, afterMs: 100 }));
    await watch().finally(() => Promise.all(nets.map((net) => net.close())));
    const values = await Promise.all(
      metrics.map(
        async (one) => (await one.getSingleMetric('pilothouse_stuck_tasks_caught_total')?.get())?.values ?? [],
      ),
    );
    const sum = (how: string) =>
      values.flat().reduce((all, { labels, value }) => all + (labels.how === how ? value : 0), 0);
    return { recovered: sum('recovered'), startedAgain: sum('begun_anew') };
  }

  it('is due again and counted once, where nothing says that it is', async () => {
    const waiting = await newTask();
    await forget(waiting.id);
    const begun = await newTask();
    await takeRun(store, begun.id, me);
    await store.transaction((tx) => store.tasks.beginExecution(tx, begun.id, me));
    await sql('update tasks set run_agent_id = null where id = $1', [begun.id]);
    const caught = await caughtWhile(() =>
      until(async () => (await isDue(store, waiting.id)) && isDue(store, begun.id), 5000),
    );
    assert.deepEqual(caught, { recovered: 0, startedAgain: 2 });
    assert.ok((await wasSaid(waiting.sessionId)) && (await wasSaid(begun.sessionId)), 'and it is said');
  });

  it('is recovered where the agent that wanted to recover it died as well, also while a person has it', async () => {
    const dead = randomUUID();
    await sql(`insert into agents (id, recovered_by, recovered_at) values ($1, $2, now() - interval '1 hour')`, [
      dead,
      randomUUID(),
    ]);
    const [one, asking] = [await newTask(), await newTask()];
    await takeRun(store, one.id, dead);
    await takeRun(store, asking.id, dead);
    await sql(`update tasks set status = 'awaiting_user' where id = $1`, [asking.id]);
    const caught = await caughtWhile(() =>
      until(async () => (await isDue(store, one.id)) && isDue(store, asking.id), 5000),
    );
    assert.deepEqual(caught, { recovered: 2, startedAgain: 0 });
  });

  it('is none that an agent works on, that a person has, that is due, or that is behind another in its session', async () => {
    const atWork = await newTask();
    await takeRun(store, atWork.id, me);
    const asking = await newTask();
    await forget(asking.id);
    await sql(`update tasks set status = 'awaiting_user' where id = $1`, [asking.id]);
    const behind = await newTask(asking.sessionId);
    const later = await newTask();
    await sql(`update tasks set status = 'running', run_due_at = now() + interval '1 hour' where id = $1`, [later.id]);
    // One that is found, although it is younger.
    const other = await newTask();
    await forget(other.id);
    const caught = await caughtWhile(() => until(() => isDue(store, other.id), 5000));
    assert.deepEqual(caught, { recovered: 0, startedAgain: 1 });
    for (const { id } of [atWork, asking, behind, later]) assert.ok(!(await isDue(store, id)));
    for (const { sessionId } of [atWork, asking, later]) assert.ok(!(await wasSaid(sessionId)));
  });
});
