import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { localUser, newId } from '@pilothouse/store';
import { Registry } from 'prom-client';
import { until } from '../../../../testkit/until.ts';
import { countRounds } from '../../testing/rounds.ts';
import { type Runtime, startRuntime } from '../../testing/runtime.ts';
import { startHousekeeping } from './housekeeping.ts';
import { housekeepingParts, type Part } from './housekeeping-parts.ts';
import { createRetentionMetrics } from './retention-metrics.ts';

const keepDays = { events: 90, logs: 90, observations: 365, steps: 365, takeovers: 365, audit: 0, logins: 30 };

describe('housekeeping', () => {
  let runtime: Runtime;
  const start = (parts: Part[], everyMs?: number) => {
    const metrics = new Registry();
    const { store, log } = runtime;
    const retention = createRetentionMetrics(metrics);
    const options = { store, log, metrics, retention, parts, everyMs, askEveryMs: 0 };
    return { metrics, housekeeping: startHousekeeping(options) };
  };
  before(async () => {
    runtime = await startRuntime();
  });
  after(() => runtime?.close());

  it('forgets agents, hosts and keys that are a day old, but for those that a row still points to', async (test) => {
    const { store } = runtime;
    const [gone, busy, lately, open] = [newId(), newId(), newId(), newId()];
    const sessionId = await runtime.newSession();
    const task = await runtime.newTask(sessionId);
    await store.transaction(async (tx) => {
      await store.tasks.beginExecution(tx, task.id, busy);
      await store.browsers.assign(tx, sessionId, { id: 'pointed-to', bootId: randomUUID() }, 0);
    });
    await store.transaction(async ({ client }) => {
      await client.query(
        `insert into agents (id, started_at, recovered_by, recovered_at)
         select id::uuid, now() - interval '3 days', case when hours is not null then $5::uuid end,
           now() - make_interval(hours => hours)
         from (values ($1, 25), ($2, 25), ($3, 23), ($4, null::int)) as one(id, hours)`,
        [gone, busy, lately, open, randomUUID()],
      );
      await client.query(
        `insert into hosts (id, boot_id, capacity, session_count, lease_until)
         select id, gen_random_uuid(), 1, 0, now() - make_interval(hours => hours)
         from (values ('long-gone', 25), ('pointed-to', 25), ('gone-lately', 23)) as one(id, hours)`,
      );
      await client.query(
        `insert into idempotency_keys (user_id, key, request_hash, task_id, created_at)
         select $1, key, '', $2, now() - make_interval(hours => hours) from (values ('old', 25), ('new', 23)) as one(key, hours)`,
        [localUser.id, task.id],
      );
    });
    const left = () =>
      store.transaction(async ({ client }) => {
        const ids = async (text: string, values: unknown[] = []) =>
          (await client.query<{ id: string }>(text, values)).rows.map(({ id }) => id);
        return {
          agents: await ids('select id from agents where id = any($1) order by id', [[gone, busy, lately, open]]),
          hosts: await ids(`select id from hosts where id in ('long-gone', 'pointed-to', 'gone-lately') order by id`),
          keys: await ids('select key as id from idempotency_keys order by key'),
        };
      });
    const housekeeping = start(housekeepingParts(store, keepDays)).housekeeping;
    test.after(housekeeping.close);
    await until(async () => !(await left()).hosts.includes('long-gone'), 5000);
    assert.deepEqual(await left(), {
      agents: [busy, lately, open].toSorted(),
      hosts: ['gone-lately', 'pointed-to'],
      keys: ['new'],
    });
  });

  it('goes on with the other parts where one fails, and says when each last succeeded', async (test) => {
    const done: string[] = [];
    const parts: Part[] = [
      { name: 'test_failing', everySecs: 3600, batch: () => Promise.reject(new Error('no room')) },
      { name: 'test_working', everySecs: 3600, batch: async () => (done.push('batch') < 3 ? 1000 : 0) },
    ];
    const { metrics, housekeeping } = start(parts);
    test.after(housekeeping.close);
    const text = async () => await metrics.metrics();
    await until(async () => /last_success\w+\{part="test_working"\} \d/.test(await text()), 5000);
    assert.deepEqual(done, ['batch', 'batch', 'batch'], 'batch after batch, until nothing is left');
    assert.doesNotMatch(await text(), /last_success\w+\{part="test_failing"\}/);
    assert.match(await text(), /removed_total\{what="test_working"\} 2000/);
  });

  it('has each part done by one of several agents', async (test) => {
    const done: number[] = [];
    const batch = async () => done.push(1) * 0;
    const parts: Part[] = [{ name: 'test_claimed', everySecs: 3600, batch }];
    const looks = countRounds();
    const { maintenance } = runtime.store;
    const counted = {
      ...maintenance,
      due: async (names: readonly string[]) => {
        looks.count();
        return maintenance.due(names);
      },
    };
    const agents = [1, 2, 3].map(() => {
      const metrics = new Registry();
      const retention = createRetentionMetrics(metrics);
      const store = { maintenance: counted };
      return startHousekeeping({ store, log: runtime.log, metrics, retention, parts, everyMs: 20 });
    });
    for (const agent of agents) test.after(agent.close);
    await looks.pass(12);
    assert.equal(done.length, 1);
  });
});
