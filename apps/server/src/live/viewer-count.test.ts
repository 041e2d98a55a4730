import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { browserSilent, connectBus, frame, queues, sessionCommand } from '@pilothouse/bus';
import type { LiveEvent } from '@pilothouse/contract';
import type { Client } from '@pilothouse/sdk';
import { sampleFrame } from '../../../../packages/bus/testing/frame.ts';
import { until } from '../../../../testkit/until.ts';
import { startTestServer, type TestServer } from '../../testing/server.ts';

describe('a viewer of a session', () => {
  let one: TestServer;
  let other: TestServer;
  before(async () => {
    one = await startTestServer({ isAuthDisabled: true });
    other = await one.another();
  });
  after(() => one.close());

  /** Follows the session, and keeps every event. */
  function watch({ client }: { client: Client }, id: string) {
    const events: LiveEvent[] = [];
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(30_000)]);
    const ended = (async () => {
      for await (const event of client.followSession({ id }, { signal })) events.push(event);
    })().catch(() => {});
    return {
      events,
      counted: () => events.findLast((event) => event.type === 'viewers')?.viewers,
      async leave() {
        stop.abort();
        await ended;
      },
    };
  }
  const shown = async ({ client }: TestServer, id: string) =>
    (await client.getSession({ id })).snapshot.session.viewers;
  const listed = async ({ client }: TestServer, id: string) =>
    (await client.listSessions({})).sessions.find((session) => session.id === id)?.viewers;

  it('is counted over all servers, and every viewer is told when the number changes', async () => {
    const { session } = await one.client.createSession();
    const first = watch(one, session.id);
    await until(() => first.counted() === 1, 15_000);
    const second = watch(other, session.id);
    await until(() => first.counted() === 2 && second.counted() === 2, 15_000);
    for (const server of [one, other])
      assert.deepEqual([await shown(server, session.id), await listed(server, session.id)], [2, 2]);
    await second.leave();
    await until(() => first.counted() === 1, 15_000);
    await first.leave();
    await until(async () => (await shown(other, session.id)) === 0, 15_000);
  });

  it('no longer counts some seconds after its server died', async () => {
    const { session } = await one.client.createSession();
    await one.store.viewers.report(randomUUID(), new Map([[session.id, 3]]), 4000);
    assert.equal(await shown(one, session.id), 3);
    // As if four seconds had passed.
    await one.store.transaction(({ client }) =>
      client.query(`update viewers set until = until - interval '4 s' where session_id = $1`, [session.id]),
    );
    assert.equal(await shown(one, session.id), 0);
  });

  it('has agents ask a host that this server does not reach, changes nothing by itself, and waits for a start', async () => {
    const { store } = one;
    const bootId = randomUUID();
    await store.hosts.renew({ hostId: 'browser-1', bootId, capacity: 9, sessions: [], leaseMs: 60_000 });
    const agent = await connectBus({ ...one.nats.as('agent'), name: 'an agent' });
    const reported: string[] = [];
    const heard = agent.subscribe(
      browserSilent,
      {},
      ({ session_id, host_id, epoch }) => {
        assert.deepEqual([host_id, epoch], ['browser-1', 1]);
        reported.push(session_id);
      },
      { queue: queues.silent },
    );
    await heard.ready({ timeoutMs: 5000 });
    /** A viewer of a session whose browser is at the host. */
    const watchNew = async (browser: 'starting' | 'live') => {
      const { session } = await one.client.createSession();
      await store.transaction((tx) => store.browsers.assign(tx, session.id, { id: 'browser-1', bootId }, 0));
      await store.change(session.id, (tx) => store.sessions.setBrowser(tx, session.id, browser));
      const viewer = watch(other, session.id);
      const reports = () => reported.filter((id) => id === session.id).length;
      await until(() => viewer.events.length > 0, 5000);
      return { id: session.id, reports, leave: viewer.leave };
    };
    const { id, reports, leave } = await watchNew('starting');
    const silent = await watchNew('live');
    // Again and again: no agent may have heard it.
    await until(() => silent.reports() >= 2, 10_000);
    assert.equal(reports(), 0, 'it may still come');
    const row = await store.browsers.of(silent.id);
    assert.deepEqual([row?.host_id, row?.epoch, row?.browser], ['browser-1', 1, 'live']);
    await silent.leave();

    const host = await connectBus({ ...one.nats.as({ host: 'browser-1' }), name: 'a host' });
    let requests = 0;
    const responder = host.respond(sessionCommand, { host_id: 'browser-1', session_id: id }, async () => {
      requests += 1;
      return { head: { ok: true, type: 'watching' } as const, body: new Uint8Array() };
    });
    await responder.ready({ timeoutMs: 5000 });
    await store.change(id, (tx) => store.sessions.setBrowser(tx, id, 'live'));
    await until(() => requests >= 4, 10_000);
    assert.equal(reports(), 0, 'it is there');
    await host.close();
    await until(() => reports() > 0, 10_000);
    await leave();
    await agent.close();
  });

  it('is shown no frame of an epoch that is not in the database, and the frame of a new epoch once it is', async () => {
    const { session } = await one.client.createSession();
    const { store } = one;
    const [hostId, bootId] = ['browser-1', randomUUID()];
    await store.hosts.renew({ hostId, bootId, capacity: 1000, sessions: [], leaseMs: 60_000 });
    await store.change(session.id, async (tx) => {
      await store.browsers.assign(tx, session.id, { id: hostId, bootId }, 0);
      await store.sessions.setBrowser(tx, session.id, 'live');
    });
    const host = await connectBus({ ...one.nats.as({ host: hostId }), name: 'a host' });
    const to = { host_id: hostId, session_id: session.id };
    const nothing = { head: { ok: true, type: 'watching' } as const, body: new Uint8Array() };
    let requests = 0;
    const responder = host.respond(sessionCommand, to, () => {
      requests += 1;
      return nothing;
    });
    await responder.ready({ timeoutMs: 5000 });
    const viewer = watch(other, session.id);
    const titles = () =>
      viewer.events.flatMap((event) => (event.type === 'frame' ? (event.frame.route.title ?? []) : []));
    let seq = 0;
    const send = (epoch: number, title: string) => {
      seq += 1;
      const { header, image } = sampleFrame({ seq, sessionId: session.id });
      host.publish(frame, to, { header: { ...header, epoch, title }, image });
    };
    await until(() => {
      send(1, 'held');
      return titles().includes('held');
    }, 5000);
    send(1000, 'forged');
    send(2, 'new driver');
    // The server reads the database at every second request at least.
    const before = requests;
    await until(() => requests >= before + 3, 10_000);
    assert.ok(!titles().includes('new driver'), 'not before it is so');
    await store.transaction((tx) => store.browsers.fence(tx, session.id));
    await until(() => titles().includes('new driver'), 15_000);
    assert.ok(!titles().includes('forged'));
    await viewer.leave();
    await host.close();
  });
});
