import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectBus, sessionCommand } from '@pilothouse/bus';
import type { LiveEvent } from '@pilothouse/contract';
import type { Client } from '@pilothouse/sdk';
import { startTestServer, type TestServer } from '../../testing/server.ts';

describe('whoever watches a session', () => {
  let one: TestServer;
  let other: TestServer;
  before(async () => {
    one = await startTestServer({ isAuthDisabled: true });
    other = await one.another();
  });
  after(() => one.close());

  /** Watches, and keeps all that comes. */
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
  async function within(ms: number, isSo: () => boolean | Promise<boolean>): Promise<number> {
    const begun = performance.now();
    while (!(await isSo())) {
      assert.ok(performance.now() - begun < ms, `not within ${ms} ms`);
      await sleep(10);
    }
    return performance.now() - begun;
  }
  const shown = async ({ client }: TestServer, id: string) =>
    (await client.getSession({ id })).snapshot.session.viewers;
  const listed = async ({ client }: TestServer, id: string) =>
    (await client.listSessions({})).sessions.find((session) => session.id === id)?.viewers;

  it('is counted over all servers, and everybody is told when the number changes', async () => {
    const { session } = await one.client.createSession();
    const first = watch(one, session.id);
    await within(3000, () => first.counted() === 1);
    const second = watch(other, session.id);
    await within(3000, () => first.counted() === 2 && second.counted() === 2);
    for (const server of [one, other])
      assert.deepEqual([await shown(server, session.id), await listed(server, session.id)], [2, 2]);
    await second.leave();
    await within(3000, () => first.counted() === 1);
    await first.leave();
    await within(3000, async () => (await shown(other, session.id)) === 0);
  });

  it('no longer counts some seconds after its server died without a word', async () => {
    const { session } = await one.client.createSession();
    await one.store.viewers.report(randomUUID(), new Map([[session.id, 3]]), 1500);
    assert.equal(await shown(one, session.id), 3);
    await within(5000, async () => (await shown(one, session.id)) === 0);
  });

  it('is told within a second that the host of the browser is gone, and not of one that is only starting', async () => {
    const { session } = await one.client.createSession();
    const { store } = one;
    const bootId = randomUUID();
    await store.hosts.renew({ hostId: 'browser-1', bootId, capacity: 1, sessions: [], leaseMs: 60_000 });
    await store.transaction((tx) => store.browsers.assign(tx, session.id, { id: 'browser-1', bootId }, 0));
    await store.change(session.id, (tx) => store.sessions.setBrowser(tx, session.id, 'starting'));
    const viewer = watch(other, session.id);
    const isTold = () => viewer.events.some((event) => event.type === 'status' && event.session.browser === 'cold');
    await sleep(1500);
    assert.ok(!isTold(), 'it may still come');

    const host = await connectBus({ ...one.nats.as({ host: 'browser-1' }), name: 'a host' });
    const responder = host.respond(sessionCommand, { host_id: 'browser-1', session_id: session.id }, async () => ({
      head: { ok: true, type: 'watching' } as const,
      body: new Uint8Array(),
    }));
    await responder.ready({ timeoutMs: 5000 });
    await store.change(session.id, (tx) => store.sessions.setBrowser(tx, session.id, 'live'));
    await sleep(1500);
    assert.ok(!isTold(), 'it is there');
    await host.close();
    // Half a second until it is asked again, and the time that one gets who only lost the bus; and a noisy machine.
    const ms = await within(2500, isTold);
    console.log(`told of a host that is gone after ${Math.round(ms)} ms`);
    await viewer.leave();
    assert.equal((await store.browsers.of(session.id))?.host_id, null);
  });
});
