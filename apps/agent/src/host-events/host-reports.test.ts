import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { type Bus, checkpoint, connectBus, type Report, report } from '@pilothouse/bus';
import { localUser, newId } from '@pilothouse/store';
import { until } from '../../browser/testing/until.ts';
import { type Runtime, startRuntime } from '../testing/runtime.ts';
import { startKeeper } from './keeper.ts';

const wait = { timeoutMs: 5000 };

describe('what agents keep for hosts', () => {
  let runtime: Runtime;
  let mine: Bus;
  let other: Bus;
  before(async () => {
    runtime = await startRuntime({ hosts: ['k1', 'k2'] });
    [mine, other] = await Promise.all([
      connectBus(runtime.nats.as({ host: 'k1' })),
      connectBus(runtime.nats.as({ host: 'k2' })),
    ]);
  });
  after(async () => {
    await Promise.all([mine?.close(), other?.close()]);
    await runtime?.close();
  });

  /** A session whose browser the database believes to be at k1, under epoch 1. */
  async function held(): Promise<string> {
    const { store } = runtime;
    const sessionId = await runtime.newSession();
    await store.transaction((tx) => store.browsers.assign(tx, sessionId, { id: 'k1', bootId: randomUUID() }, 0));
    await store.change(sessionId, (tx) => store.sessions.setBrowser(tx, sessionId, 'live'));
    return sessionId;
  }
  const stateOf = async (sessionId: string) =>
    runtime.store.transaction((tx) => runtime.store.browsers.stateOf(tx, sessionId));

  it('is the state of a session, of the host that holds it and of its present driver only', async () => {
    const session_id = await held();
    const keep = async (line: Bus, host_id: string, epoch: number, n: number) => {
      const state = { storage: { n }, pages: [] };
      const result = await line.request(checkpoint, { host_id, session_id }, { session_id, epoch, state }, wait);
      return result.ok && result.reply.is_kept;
    };
    assert.equal(await keep(mine, 'k1', 1, 1), true);
    assert.deepEqual(await stateOf(session_id), { storage: { n: 1 }, pages: [] });
    assert.equal(await keep(mine, 'k1', 0, 2), false, 'of a driver before');
    assert.equal(await keep(other, 'k2', 1, 3), false, 'of a host that does not hold it');
    assert.deepEqual(await stateOf(session_id), { storage: { n: 1 }, pages: [] });
    const { store } = runtime;
    await store.transaction((tx) => store.browsers.assign(tx, session_id, { id: 'k2', bootId: randomUUID() }, 1));
    assert.equal(await keep(mine, 'k1', 1, 4), false, 'after it was given to another');
    assert.equal(await keep(other, 'k2', 2, 5), true);
  });

  it('is that a browser crashed: once, with an event, and nobody is sent there any more', async () => {
    const session_id = await held();
    const crashed = { type: 'crashed', session_id, epoch: 1, what: 'browser', url: null } as const;
    const tell = (line: Bus, host_id: string, told: Report) =>
      line.request(report, { host_id, session_id }, told, wait);
    assert.ok((await tell(other, 'k2', crashed)).ok, 'heard, and not believed');
    assert.ok((await tell(mine, 'k1', { ...crashed, epoch: 0 })).ok);
    assert.deepEqual(await runtime.told(session_id), []);
    assert.ok((await tell(mine, 'k1', crashed)).ok);
    assert.ok((await tell(mine, 'k1', crashed)).ok, 'the answer may have been lost');
    assert.deepEqual(await runtime.told(session_id), ['cold']);
    assert.equal((await runtime.store.browsers.of(session_id))?.host_id, null);
    assert.equal((await runtime.store.sessions.byId(session_id))?.browser, 'cold');
  });

  it('is in the log of the session, whatever it is', async () => {
    const session_id = await held();
    const of = { session_id, epoch: 1 };
    const dialog = { kind: 'confirm', message: 'Leave?', default_value: '' } as const;
    const told: Report[] = [
      { type: 'refused', ...of, target: '10.0.0.1:80', reason: 'a private address', count: 3 },
      { type: 'crashed', ...of, what: 'page', url: 'http://127.0.0.1/' },
      { type: 'dialog', ...of, dialog },
      { type: 'dialog', ...of, dialog: null },
      { type: 'wall', ...of, wall: 'memory', message: 'It took more memory than it may.', is_ended: true },
    ];
    for (const one of told) assert.ok((await mine.request(report, { host_id: 'k1', session_id }, one, wait)).ok);
    const events = await runtime.store.events.last(session_id, 100);
    const logs = events
      .filter(({ kind }) => kind === 'log')
      .map(({ data }) => data.log as { message: string; data: object });
    assert.deepEqual(
      logs.map(({ message }) => message),
      [
        'The page may not reach 10.0.0.1:80: a private address.',
        'A page crashed: http://127.0.0.1/.',
        'The page asks: Leave?',
        'The question of the page was closed.',
        'It took more memory than it may.',
      ],
    );
    assert.deepEqual(logs[0]?.data, { type: 'refused', target: '10.0.0.1:80', reason: 'a private address', count: 3 });
    assert.deepEqual(await runtime.told(session_id), ['cold'], 'the last one ended its browser');
  });

  it('is not for ever: who is gone for a day is forgotten, but for those something still points to', async (test) => {
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
    const bus = await connectBus(runtime.nats.as('agent'));
    const keeper = await startKeeper({ bus, store, log: runtime.log, hostLeaseMs: 10_000 });
    test.after(async () => {
      await keeper.close();
      await bus.close();
    });
    await until(async () => !(await left()).hosts.includes('long-gone'), 5000);
    assert.deepEqual(await left(), {
      agents: [busy, lately, open].toSorted(),
      hosts: ['gone-lately', 'pointed-to'],
      keys: ['new'],
    });
  });

  it('is how busy a host is, and not what it makes up', async () => {
    const { store } = runtime;
    const sessions = [{ session_id: 'not-an-id', epoch: 1, is_watched: false, idle_ms: 0 }];
    const load = { cpu: 0.25, memory: 0.5 };
    await store.hosts.renew({ hostId: 'k1', bootId: randomUUID(), capacity: 4, sessions, load, leaseMs: 60_000 });
    const host = (await store.hosts.live()).find(({ id }) => id === 'k1');
    assert.deepEqual([host?.load_cpu, host?.load_memory, host?.sessions, host?.session_count], [0.25, 0.5, [], 1]);
    assert.deepEqual(await store.browsers.unused(0), [], 'and others can still be looked at');
  });
});
