import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { localUser, newId } from '@pilothouse/store';
import { until } from '../../../../testkit/until.ts';
import { type Runtime, startRuntime } from '../../testing/runtime.ts';
import { startHousekeeping } from './housekeeping.ts';

describe('housekeeping', () => {
  let runtime: Runtime;
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
    const housekeeping = startHousekeeping({ store, log: runtime.log });
    test.after(housekeeping.close);
    await until(async () => !(await left()).hosts.includes('long-gone'), 5000);
    assert.deepEqual(await left(), {
      agents: [busy, lately, open].toSorted(),
      hosts: ['gone-lately', 'pointed-to'],
      keys: ['new'],
    });
  });
});
