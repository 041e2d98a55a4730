import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { createLog } from '@pilothouse/process';
import { localUser, engine as names, newId, openStore, openWork, type Store, type Work } from '@pilothouse/store';
import { createTestDatabase, type TestDatabase } from '@pilothouse/store/testing';
import pg from 'pg';
import { Registry } from 'prom-client';
import { until } from '../../../../testkit/until.ts';
import { type Engine, startEngine } from '../engine/engine.ts';
import { startStuckTasks } from './stuck-tasks.ts';

const log = createLog('agent', 'silent');
const me = randomUUID();

describe('a task that no agent works on', () => {
  let database: TestDatabase;
  let store: Store;
  let work: Work;
  let engine: Engine;
  let client: pg.Client;
  const ran: string[] = [];
  before(async () => {
    database = await createTestDatabase();
    store = openStore({ url: database.url, blobDir: '/nonexistent', onError: () => {} });
    await store.users.ensureLocal();
    work = await openWork({ url: database.url, onLog: () => {} });
    DBOS.registerWorkflow(async (id: string) => void ran.push(id), { name: names.workflow });
    const presence = await store.agents.enter(me);
    engine = await startEngine({ url: database.url, agentId: me, pollMs: 20, log });
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    after(presence.leave);
  });
  after(async () => {
    await engine?.close();
    await client?.end();
    await work?.close();
    await store?.close();
    await database?.close();
  });

  async function newTask() {
    const sessionId = newId();
    const id = newId();
    await store.change(sessionId, async (tx) => {
      await store.sessions.create(tx, localUser, { id: sessionId, viewport: { width: 1280, height: 720 } });
      const plan = { steps: [] };
      await store.tasks.create(tx, localUser, {
        id,
        sessionId,
        title: 't',
        prompt: 'p',
        plan,
        settings: {},
        totalSteps: 1,
      });
    });
    return { id, session_id: sessionId };
  }

  /** Two agents look, as in a larger installation. */
  async function caughtWhile(watch: () => Promise<void>) {
    const metrics = [new Registry(), new Registry()];
    const nets = metrics.map((one) =>
      startStuckTasks({ store, work, engine, log, metrics: one, everyMs: 50, afterMs: 100 }),
    );
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

  it('is started again and counted, where the engine does not know it', async () => {
    const task = await newTask();
    const caught = await caughtWhile(() => until(() => ran.includes(task.id), 5000));
    assert.ok(caught.startedAgain >= 1, JSON.stringify(caught));
    const logs = await store.events.last(task.session_id, 10);
    assert.ok(
      logs.some(({ data }) => JSON.stringify(data).includes('No agent worked on the task')),
      'and it is said',
    );
  });

  it('is started again where its workflow ended before it', async () => {
    const task = await newTask();
    await store.transaction((tx) => work.start(tx, task));
    await until(() => ran.includes(task.id), 5000);
    ran.length = 0;
    const caught = await caughtWhile(() => until(() => ran.includes(task.id), 5000));
    assert.ok(caught.startedAgain >= 1, JSON.stringify(caught));
  });

  it('is recovered where the agent that wanted to recover it died as well', async () => {
    const task = await newTask();
    const dead = randomUUID();
    await client.query(
      `insert into agents (id, recovered_by, recovered_at) values ($1, $2, now() - interval '1 hour')`,
      [dead, randomUUID()],
    );
    await store.transaction(async (tx) => {
      await work.start(tx, task);
      await tx.client.query(
        `update dbos.workflow_status set status = 'PENDING', executor_id = $2, owner_xid = 'x' where workflow_uuid = $1`,
        [task.id, dead],
      );
    });
    const caught = await caughtWhile(() => until(() => ran.includes(task.id), 5000));
    assert.equal(caught.recovered, 1, JSON.stringify(caught));
  });

  it('is not one that an agent works on: that one is left alone', async () => {
    const task = await newTask();
    await store.transaction(async (tx) => {
      await work.start(tx, task);
      await tx.client.query(
        `update dbos.workflow_status set status = 'PENDING', executor_id = $2, owner_xid = 'x' where workflow_uuid = $1`,
        [task.id, me],
      );
    });
    await client.query(`update tasks set status = 'failed' where id <> $1`, [task.id]);
    // One that is found, although it is younger.
    const other = await newTask();
    const caught = await caughtWhile(() => until(() => ran.includes(other.id), 5000));
    assert.equal(caught.recovered, 0);
    assert.ok(!ran.includes(task.id));
    assert.ok(!JSON.stringify(await store.events.last(task.session_id, 10)).includes('No agent worked on the task'));
  });
});
