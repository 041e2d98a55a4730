import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { announceSilence, type Bus, connectBus, hostCommand } from '@pilothouse/bus';
import { until } from '../../../../testkit/until.ts';
import { type Runtime, startRuntime } from '../../testing/runtime.ts';
import { startSilentBrowsers } from './silent-browsers.ts';

const hostId = 'p1';
const bootId = randomUUID();

describe('a browser that a server does not reach', () => {
  let runtime: Runtime;
  let server: Bus;
  let agents: ReturnType<typeof startSilentBrowsers>[];

  before(async () => {
    runtime = await startRuntime({ hosts: [hostId] });
    const { bus, store, log, nats } = runtime;
    server = await connectBus(nats.as('server'));
    const silence = { attempts: 3, everyMs: 50 };
    agents = [1, 2].map(() => startSilentBrowsers({ bus, store, log, silence }));
    await Promise.all(agents.map((agent) => agent.ready({ timeoutMs: 5000 })));
    await store.hosts.renew({ hostId, bootId, capacity: 9, sessions: [], leaseMs: 600_000 });
  });
  after(async () => {
    await Promise.all((agents ?? []).map((agent) => agent.close()));
    await server?.close();
    await runtime?.close();
  });

  async function openBrowser() {
    const { store } = runtime;
    const sessionId = await runtime.newSession();
    await store.change(sessionId, async (tx) => {
      await store.browsers.assign(tx, sessionId, { id: hostId, bootId }, 0);
      await store.sessions.setBrowser(tx, sessionId, 'live');
    });
    const report = (epoch = 1) => announceSilence(server, { session_id: sessionId, host_id: hostId, epoch });
    const at = async () => {
      const row = await store.browsers.of(sessionId);
      return `${row?.host_id} ${row?.epoch} ${row?.browser}`;
    };
    return { sessionId, report, at };
  }
  /** A host that answers for its status with these sessions. */
  async function answering(sessions: string[], work: (asks: () => number) => Promise<void>) {
    const host = await runtime.connectAs(hostId);
    let asked = 0;
    const held = sessions.map((session_id) => ({ session_id, epoch: 1, pages: 1, is_watched: true, idle_ms: 0 }));
    const responder = host.respond(hostCommand, { host_id: hostId }, async () => {
      asked += 1;
      return { ok: true, status: { capacity: 9, warm: 0, has_own_users: true, sessions: held } } as const;
    });
    await responder.ready({ timeoutMs: 5000 });
    await work(() => asked).finally(() => host.close());
  }

  it('stays at a host that an agent reaches, and is given up where that host does not have it', async () => {
    const [held, missing] = [await openBrowser(), await openBrowser()];
    await answering([held.sessionId], async (asks) => {
      missing.report();
      await until(async () => (await missing.at()) === 'null 2 cold', 10_000);
      const before = asks();
      // The last one is asked after an agent has decided by the first.
      await until(() => {
        held.report();
        return asks() >= before + 3;
      }, 10_000);
    });
    assert.equal(await held.at(), 'p1 1 live');
  });

  it('is given up under a new epoch where no agent reaches the host, once, and no newer driver loses it', async () => {
    const [lost, newer] = [await openBrowser(), await openBrowser()];
    await runtime.store.transaction((tx) => runtime.store.browsers.fence(tx, newer.sessionId));
    for (const one of [newer, lost, lost, lost]) one.report();
    await until(async () => (await lost.at()) === 'null 2 cold', 10_000);
    await Promise.all(agents.map((agent) => agent.close()));
    assert.equal(await newer.at(), 'p1 2 live');
    assert.deepEqual(await runtime.told(lost.sessionId), ['cold']);
  });
});
