import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { type Bus, checkpoint, connectBus, type Report, report } from '@pilothouse/bus';
import { type Runtime, startRuntime } from '../../testing/runtime.ts';

const wait = { timeoutMs: 5000 };

describe('reports of hosts', () => {
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

  /** A session whose browser is at k1 under epoch 1, by its row. */
  async function held(): Promise<string> {
    const { store } = runtime;
    const sessionId = await runtime.newSession();
    await store.transaction((tx) => store.browsers.assign(tx, sessionId, { id: 'k1', bootId: randomUUID() }, 0));
    await store.change(sessionId, (tx) => store.sessions.setBrowser(tx, sessionId, 'live'));
    return sessionId;
  }
  const stateOf = async (sessionId: string) =>
    runtime.store.transaction((tx) => runtime.store.browsers.stateOf(tx, sessionId));

  it('save the state of a session only from the host that holds it, under the present epoch', async () => {
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
    for (const epoch of [2, 1_000_000]) assert.equal(await keep(mine, 'k1', epoch, 6), false, 'of a driver to come');
    assert.deepEqual(await stateOf(session_id), { storage: { n: 1 }, pages: [] });
    const { store } = runtime;
    await store.transaction((tx) => store.browsers.assign(tx, session_id, { id: 'k2', bootId: randomUUID() }, 1));
    assert.equal(await keep(mine, 'k1', 1, 4), false, 'after it was given to another');
    assert.equal(await keep(other, 'k2', 2, 5), true);
  });

  it('of a crashed browser set the session cold once, and no agent goes there any more', async () => {
    const session_id = await held();
    const crashed = { type: 'crashed', session_id, epoch: 1, what: 'browser', url: null } as const;
    const tell = (line: Bus, host_id: string, told: Report) =>
      line.request(report, { host_id, session_id }, told, wait);
    assert.ok((await tell(other, 'k2', crashed)).ok, 'heard, and not believed');
    assert.ok((await tell(mine, 'k1', { ...crashed, epoch: 0 })).ok);
    assert.ok((await tell(mine, 'k1', { ...crashed, epoch: 2 })).ok);
    assert.deepEqual(await runtime.told(session_id), []);
    assert.ok((await tell(mine, 'k1', crashed)).ok);
    assert.ok((await tell(mine, 'k1', crashed)).ok, 'the answer may have been lost');
    assert.deepEqual(await runtime.told(session_id), ['cold']);
    assert.equal((await runtime.store.browsers.of(session_id))?.host_id, null);
    assert.equal((await runtime.store.sessions.byId(session_id))?.browser, 'cold');
  });

  it('are in the log of the session, of whatever kind', async () => {
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

  it('are logged up to a limit a minute for each kind, and the log says how many were left out', async () => {
    const session_id = await held();
    const refused = (n: number): Report => ({
      type: 'refused',
      session_id,
      epoch: 1,
      target: n === 0 ? 'x'.repeat(100_000) : `n${n}.test:443`,
      reason: 'denied_domain',
      count: 1,
    });
    const tell = (told: Report) => mine.request(report, { host_id: 'k1', session_id }, told, wait);
    for (let n = 0; n < 80; n += 1) assert.ok((await tell(refused(n))).ok);
    const logs = async () =>
      (await runtime.store.events.last(session_id, 500)).filter(({ kind }) => kind === 'log').map(({ data }) => data);
    assert.equal((await logs()).length, 30);
    assert.ok(JSON.stringify(await logs()).length < 20_000, 'nor are they as long as a host likes');
    // Reports of another kind are logged.
    const crashed: Report = { type: 'crashed', session_id, epoch: 1, what: 'page', url: null };
    assert.ok((await tell(crashed)).ok);
    assert.equal((await logs()).length, 31);
    await runtime.store.transaction(({ client }) =>
      client.query(`update report_windows set since = since - interval '61 seconds' where session_id = $1`, [
        session_id,
      ]),
    );
    assert.ok((await tell(refused(80))).ok);
    const last = (await logs()).slice(31).map((data) => (data.log as { message: string }).message);
    assert.deepEqual(last, [
      '50 more of this kind were not written down.',
      'The page may not reach n80.test:443: denied_domain.',
    ]);
  });

  it('say how busy a host is, and ids that are none of ours are left out', async () => {
    const { store } = runtime;
    const sessions = [{ session_id: 'not-an-id', epoch: 1, is_watched: false, idle_ms: 0 }];
    const load = { cpu: 0.25, memory: 0.5 };
    await store.hosts.renew({ hostId: 'k1', bootId: randomUUID(), capacity: 4, sessions, load, leaseMs: 60_000 });
    const host = (await store.hosts.live()).find(({ id }) => id === 'k1');
    assert.deepEqual([host?.load_cpu, host?.load_memory, host?.sessions, host?.session_count], [0.25, 0.5, [], 1]);
    assert.deepEqual(await store.browsers.unused(0), [], 'and others can still be looked at');
  });
});
