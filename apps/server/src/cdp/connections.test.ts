import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { announceEvent, type Bus, connectBus } from '@pilothouse/bus';
import { type NatsForTest, startNats } from '@pilothouse/bus/testing';
import { createLog } from '@pilothouse/process';
import { localUser, newId, openStore, type Store } from '@pilothouse/store';
import { createTestDatabase, type TestDatabase } from '@pilothouse/store/testing';
import { WebSocket, WebSocketServer } from 'ws';
import { listen } from '../../../../testkit/listen.ts';
import { until } from '../../../../testkit/until.ts';
import { createProgramConnections } from './connections.ts';

const never = 3_600_000;
const viewport = { width: 1280, height: 720 };

describe('programs that are connected to a server', () => {
  let database: TestDatabase;
  let nats: NatsForTest;
  let bus: Bus;
  let store: Store;
  const bootId = randomUUID();
  const ends: (() => Promise<void>)[] = [];
  const openTestStore = (isAnnounced: boolean) =>
    openStore({
      url: database.url,
      blobDir: '/nonexistent',
      poolSize: 5,
      onError: () => {},
      onChanged: (id, seq, events) => isAnnounced && announceEvent(bus, id, seq, events),
    });
  before(async () => {
    [database, nats] = await Promise.all([createTestDatabase(), startNats({ hosts: ['h1'] })]);
    bus = await connectBus(nats.as('server'));
    store = openTestStore(true);
    await store.users.ensureLocal();
    await store.hosts.renew({ hostId: 'h1', bootId, capacity: 100, sessions: [], leaseMs: 600_000 });
  });
  after(async () => {
    for (const end of ends) await end();
    await bus?.close();
    await store?.close();
    await Promise.all([database?.close(), nats?.close()]);
  });

  async function openSession(): Promise<string> {
    const sessionId = newId();
    await store.change(sessionId, async (tx) => {
      await store.sessions.create(tx, localUser, { id: sessionId, viewport });
      await store.browsers.assign(tx, sessionId, { id: 'h1', bootId }, 0);
    });
    return sessionId;
  }

  /** A program of this session, at a server whose host takes everything. Returns the epochs that the host was told. */
  async function connect(sessionId: string, lookMs: { unsettled: number; waiting: number; driving: number }) {
    const told: number[] = [];
    const hosts: Parameters<typeof createProgramConnections>[0]['hosts'] = {
      take: async ({ epoch }) => {
        told.push(epoch);
        return { type: 'done', reply: { ok: true } } as never; // only its type is read
      },
      openProgram: async () => ({ type: 'done', reply: { ok: true } }) as never, // as above
      look: async () => assert.fail('the program does nothing that is looked at'),
    };
    const log = createLog('server', 'silent');
    const connections = createProgramConnections({ store, bus, hosts, log, lookMs });
    const sockets = new WebSocketServer({ noServer: true });
    const http = createServer();
    http.on('upgrade', (request, raw, head) =>
      sockets.handleUpgrade(request, raw, head, (socket) => {
        void connections.add(
          { sessionId, userId: localUser.id, whileDriven: 'fail', isGiven: false, socket, wire: raw },
          () => {},
        );
      }),
    );
    const { url, close } = await listen(http);
    const client = new WebSocket(url.replace('http', 'ws'));
    await once(client, 'open');
    ends.push(async () => {
      const closed = connections.close();
      client.terminate();
      await closed;
      await close();
    });
    return told;
  }

  async function takeOver(by: Store, sessionId: string): Promise<void> {
    const about = { sessionId, taskId: null, holderId: localUser.id, reason: null, leaseSecs: 60 };
    await by.change(sessionId, async (tx, append) => {
      const row = await by.takeovers.request(tx, append, { ...about, tokenHash: randomBytes(32) });
      assert.ok(row);
      await by.takeovers.stop(tx, append, row);
    });
  }
  const handBack = (by: Store, sessionId: string) =>
    by.change(sessionId, (tx, append) => by.takeovers.endAll(tx, append, { sessionId }));

  it('drive again by the news of a hand-back alone', async () => {
    const id = await openSession();
    const told = await connect(id, { unsettled: 10, waiting: never, driving: never });
    await until(() => told.length === 1, 5000);
    for (let round = 1; round <= 3; round += 1) {
      await takeOver(store, id);
      assert.equal(told.length, round);
      await handBack(store, id);
      await until(() => told.length === round + 1, 5000);
    }
    assert.deepEqual(
      told,
      told.toSorted((a, b) => a - b),
    );
  });

  it('drive again also where the news was lost', async () => {
    const silent = openTestStore(false);
    const id = await openSession();
    const told = await connect(id, { unsettled: 10, waiting: 20, driving: 20 });
    await until(() => told.length === 1, 5000);
    await takeOver(silent, id);
    await handBack(silent, id);
    await until(() => told.length === 2, 5000);
    await silent.close();
  });
});
