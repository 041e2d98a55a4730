import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { connectBus } from '@pilothouse/bus';
import { createLog } from '@pilothouse/process';
import { localUser, newId, type StoredEvent } from '@pilothouse/store';
import { Registry } from 'prom-client';
import { until } from '../../../../testkit/until.ts';
import { startTestServer, type TestServer } from '../../testing/server.ts';
import { createEventHub, type EventHub } from './event-hub.ts';

describe('the events of a session for several listeners', () => {
  let server: TestServer;
  let hub: EventHub;
  let close: () => Promise<void>;
  before(async () => {
    server = await startTestServer({ isAuthDisabled: true });
    const bus = await connectBus({ ...server.nats.as('server'), name: 'a hub' });
    hub = createEventHub({ store: server.store, bus, log: createLog('server', 'silent'), metrics: new Registry() });
    close = async () => {
      hub.close();
      await bus.close();
    };
  });
  after(async () => {
    await close?.();
    await server?.close();
  });

  async function newSession(): Promise<string> {
    const id = newId();
    const viewport = { width: 8, height: 6 };
    await server.store.change(id, (tx) => server.store.sessions.create(tx, localUser, { id, viewport }));
    return id;
  }
  const say = (sessionId: string) =>
    server.store.change(sessionId, (_tx, append) => append({ kind: 'route', data: { route: {} } }));

  /** Follows from the beginning. `onSeq` is called for each event and may throw. */
  async function listen(sessionId: string, onSeq: (seq: number) => void = () => {}) {
    const seqs: number[] = [];
    const state = { isClosed: false };
    const lifetime = {
      isEnded: () => state.isClosed,
      onEnd: () => {},
      close: () => {
        state.isClosed = true;
      },
    };
    const onEvents = (events: StoredEvent[]) => {
      for (const { seq } of events) {
        onSeq(seq);
        seqs.push(seq);
      }
    };
    await hub.follow(sessionId, 0, onEvents, lifetime);
    return { seqs, state };
  }

  it('are all delivered to the others when one listener throws, and that one is closed', async () => {
    const sessionId = await newSession();
    await say(sessionId);
    const first = await listen(sessionId);
    const broken = await listen(sessionId, (seq) => {
      if (seq === 2) throw new Error('cannot be encoded');
    });
    const last = await listen(sessionId);
    await say(sessionId);
    await say(sessionId);
    await until(() => last.seqs.length === 3 && first.seqs.length === 3, 5000);
    assert.deepEqual(
      [first.seqs, last.seqs],
      [
        [1, 2, 3],
        [1, 2, 3],
      ],
    );
    assert.deepEqual([broken.seqs, broken.state.isClosed], [[1], true], 'it begins again from what it has');
    assert.deepEqual([first.state.isClosed, last.state.isClosed], [false, false]);
  });

  it('are forgotten after a purge, by a server that still follows the session', async () => {
    const sessionId = await newSession();
    for (let i = 0; i < 3; i += 1) await say(sessionId);
    const watching = await listen(sessionId);
    assert.deepEqual(watching.seqs, [1, 2, 3]);
    await server.store.change(sessionId, async (tx, append) => {
      await server.store.sessions.move(tx, sessionId, 'close');
      await server.store.purge.session(tx, append, sessionId);
    });
    await until(async () => (await listen(sessionId)).seqs.length === 0, 5000);
    await say(sessionId);
    await until(() => watching.seqs.includes(4), 5000);
    assert.deepEqual((await listen(sessionId)).seqs, [4]);
    assert.equal(watching.state.isClosed, false, 'a purge is no gap');
  });
});
