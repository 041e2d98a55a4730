// Real hosts whose heartbeats an agent answers, and sessions in a real database.

import { randomUUID } from 'node:crypto';
import { type Bus, connectBus, hostCommand } from '@pilothouse/bus';
import { startNats } from '@pilothouse/bus/testing';
import { setCold } from '@pilothouse/fleet';
import { createLog } from '@pilothouse/process';
import { localUser, newId, openStore, type Tx } from '@pilothouse/store';
import { createTestDatabase, hearHosts } from '@pilothouse/store/testing';
import { until } from '../../../testkit/until.ts';
import { holdLease } from '../../browser/src/host/lease.ts';
import { startHost } from '../../browser/testing/host.ts';
import { startHostReports } from '../src/host-events/host-reports.ts';

const viewport = { width: 1280, height: 720 };
const log = createLog('agent', 'silent');

export async function startRuntime({
  hosts = ['p1'],
  hostLeaseMs = 10_000,
  capacity = 8,
  blobDir = '/nonexistent',
} = {}) {
  const [database, nats] = await Promise.all([createTestDatabase(), startNats({ hosts })]);
  const store = openStore({ url: database.url, blobDir, poolSize: 20, onError: () => {} });
  await store.users.ensureLocal();
  const bus = await connectBus(nats.as('agent'));
  await hearHosts(store);
  const keeper = await startHostReports({ bus, store, log, hostLeaseMs });

  /** A host with its heartbeats, as main.ts has them. */
  async function addHost(hostId: string) {
    const host = await startHost(nats, hostId, { capacity, place: hosts.indexOf(hostId) });
    const hostBus: Bus = await connectBus(nats.as({ host: hostId }));
    const bootId = randomUUID();
    let said: { capacity?: number; is_leaving?: boolean } = {};
    const lease = holdLease({
      bus: hostBus,
      log,
      hostId,
      bootId,
      tell: () => ({ capacity, ...said, sessions: host.host.status().sessions }),
      onHeld: () => {},
      onOpenedElsewhere: host.host.endOlder,
      keepMs: 900_000,
      onKeepOver: () => void host.host.endAll(),
      everyMs: 100,
    });
    await until(async () => (await store.hosts.live()).some(({ id }) => id === hostId), 5000);
    return {
      ...host,
      bootId,
      hostBus,
      stopBeating: lease.close,
      /** What its heartbeats say from now on, when the database knows of it. */
      async say(next: typeof said): Promise<void> {
        said = next;
        const isSaid = ({ id, capacity: at, is_leaving }: { id: string; capacity: number; is_leaving: boolean }) =>
          id === hostId && at === (next.capacity ?? capacity) && is_leaving === (next.is_leaving ?? false);
        await until(async () => (await store.hosts.live()).some(isSaid), 10_000);
      },
      async close() {
        lease.close();
        await host.close();
        await hostBus.close();
      },
    };
  }

  async function newSession({ recording = false } = {}): Promise<string> {
    const id = newId();
    await store.change(id, (tx) => store.sessions.create(tx, localUser, { id, viewport, recording }));
    return id;
  }

  async function addTask(tx: Tx, sessionId: string) {
    const plan = { steps: [] };
    const given = { id: newId(), sessionId, title: 't', prompt: 'p', plan, settings: {}, totalSteps: 1 };
    await store.sessions.move(tx, sessionId, 'work');
    return store.tasks.create(tx, localUser, given);
  }

  return {
    store,
    bus,
    nats,
    databaseUrl: database.url,
    log,
    addHost,
    /** What a host can say on the bus, without being one. */
    connectAs: (hostId: string): Promise<Bus> => connectBus(nats.as({ host: hostId })),
    newSession,
    /** Opens the session's browser at the host, as an agent does. */
    async open(sessionId: string, hostId: string, bootId: string): Promise<number> {
      const known = await store.browsers.of(sessionId);
      const taken = await store.transaction((tx) =>
        store.browsers.assign(tx, sessionId, { id: hostId, bootId }, known?.epoch ?? 0),
      );
      if (!taken) throw new Error('another agent was quicker');
      // Our own writing, checked by the host's schema on arrival.
      const state = taken.state as never;
      const message = { type: 'open', session_id: sessionId, epoch: taken.epoch, viewport, state } as const;
      const result = await bus.request(hostCommand, { host_id: hostId }, message, { timeoutMs: 20_000 });
      if (!result.ok || !result.reply.ok) throw new Error(`not opened: ${JSON.stringify(result)}`);
      await store.change(sessionId, (tx) => store.sessions.setBrowser(tx, sessionId, 'live'));
      return taken.epoch;
    },
    addTask,
    newTask: (sessionId: string) => store.change(sessionId, (tx) => addTask(tx, sessionId)),
    setCold: (sessionId: string) => store.change(sessionId, (tx, append) => setCold(store, tx, append, sessionId)),
    /** The states of the browser that followers of the session were told, in order. */
    async told(sessionId: string): Promise<string[]> {
      const events = await store.events.last(sessionId, 100);
      return events
        .filter(({ kind }) => kind === 'status')
        .map(({ data }) => (data.session as { browser: string }).browser);
    },
    async close() {
      await keeper.close();
      await bus.close();
      await store.close();
      await Promise.all([database.close(), nats.close()]);
    },
  };
}
export type Runtime = Awaited<ReturnType<typeof startRuntime>>;
