import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { type HostCommand, type HostReply, hostCommand, sessionCommand } from '@pilothouse/bus';
import { newId, type Store } from '@pilothouse/store';
import { until } from '../../../../testkit/until.ts';
import { drive } from '../../../browser/testing/host.ts';
import type { Site } from '../../../browser/testing/site.ts';
import { ENTERED, startSiteWithState } from '../../../browser/testing/site-with-state.ts';
import { countRounds, passAll } from '../../testing/rounds.ts';
import { type Runtime, startRuntime } from '../../testing/runtime.ts';
import { startIdleBrowsers } from './idle-browsers.ts';

const idleMs = 2000;

describe('browsers that are not in use', () => {
  let runtime: Runtime;
  let site: Site;
  let host: Awaited<ReturnType<Runtime['addHost']>>;
  before(async () => {
    [runtime, site] = await Promise.all([
      startRuntime({ hosts: ['p1', 'p2'], hostLeaseMs: 8000 }),
      startSiteWithState(),
    ]);
    host = await runtime.addHost('p1');
  });
  after(async () => {
    await host?.close();
    await runtime?.close();
    await site?.close();
  });
  const opened = async () => {
    const sessionId = await runtime.newSession();
    const epoch = await runtime.open(sessionId, 'p1', host.bootId);
    return { sessionId, epoch, driver: drive(runtime.bus, 'p1', sessionId) };
  };
  const statusOf = (sessionId: string) =>
    host.host.status().sessions.find(({ session_id }) => session_id === sessionId);
  const isHeld = (sessionId: string) => statusOf(sessionId) !== undefined;
  const browserOf = async (sessionId: string) => (await runtime.store.sessions.byId(sessionId))?.browser;
  /** Two agents, as in a larger installation. `look` waits until each has looked again. */
  async function whileParking(work: (look: () => Promise<unknown>) => Promise<void>): Promise<void> {
    const { bus, log } = runtime;
    const agents = [countRounds(), countRounds()];
    const two = agents.map(({ count }) =>
      startIdleBrowsers({ bus, store: countingLooks(runtime.store, count), log, idleMs, everyMs: 50 }),
    );
    await work(() => passAll(agents)).finally(() => Promise.all(two.map((one) => one.close())));
  }
  const countingLooks = (store: Store, count: () => void): Store => ({
    ...store,
    browsers: {
      ...store.browsers,
      unused: (...given) => {
        count();
        return store.browsers.unused(...given);
      },
    },
  });

  it('are parked by one agent, once, and are opened again as they were', async () => {
    const { sessionId, driver } = await opened();
    await driver.act({ action: 'navigate', url: `${site.url}/enter` });
    await driver.act({ action: 'navigate', url: `${site.url}/home` });
    await whileParking(async () => {
      await until(() => !isHeld(sessionId), 20_000);
      await until(
        async () => (await runtime.store.transaction((tx) => runtime.store.browsers.stateOf(tx, sessionId))) !== null,
        10_000,
      );
    });
    assert.deepEqual(await runtime.told(sessionId), ['cold']);
    const parked = await runtime.store.browsers.of(sessionId);
    assert.deepEqual([parked?.host_id, parked?.epoch], [null, 2]);
    const epoch = await runtime.open(sessionId, 'p1', host.bootId);
    const { acted } = await driver.act({ action: 'wait', for: { text: 'Home' } }, { epoch });
    assert.equal(acted.after.title, ENTERED('one'));
    await driver.closeSession(epoch);
  });

  it('stay open while a viewer watches, a person drives, or a task works', async () => {
    const [watched, driven, working, used] = await Promise.all([opened(), opened(), opened(), opened()]);
    await runtime.store.change(driven.sessionId, (tx) => runtime.store.sessions.move(tx, driven.sessionId, 'take'));
    await runtime.newTask(working.sessionId);
    const all = [watched, driven, working, used];
    await watched.driver.tell({ type: 'watch', for_ms: 60_000 });
    // Opened last, so the others were open for longer when it is parked.
    const idle = await opened();
    await whileParking(async (look) => {
      await until(async () => {
        await used.driver.act({ action: 'screenshot' });
        return !isHeld(idle.sessionId);
      }, 20_000);
      await used.driver.act({ action: 'screenshot' });
      await look();
      assert.deepEqual(
        all.map(({ sessionId }) => isHeld(sessionId)),
        [true, true, true, true],
      );
      await until(() => !isHeld(used.sessionId), 20_000);
      assert.ok(
        [watched, driven, working].every(({ sessionId }) => isHeld(sessionId)),
        'the others still do',
      );
    });
    for (const { driver, epoch } of [watched, driven, working]) await driver.closeSession(epoch);
  });

  it('are not taken from a task that begins while an agent is about to park them', async () => {
    const { sessionId, epoch, driver } = await opened();
    const { store } = runtime;
    const begun = Promise.withResolvers<number>();
    const mayCommit = Promise.withResolvers<void>();
    const beginning = store.change(sessionId, async (tx) => {
      await runtime.addTask(tx, sessionId);
      const { rows } = await tx.client.query<{ pid: number }>('select pg_backend_pid() as pid');
      begun.resolve(rows[0]?.pid ?? 0);
      await mayCommit.promise;
    });
    const pid = await begun.promise;
    /** Agents that have found the browser unused, and wait for the session to park it. */
    const agentsThatWait = () =>
      store.transaction(async ({ client }) => {
        const text = 'select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))';
        return (await client.query(text, [pid])).rows.length;
      });
    await whileParking(async (look) => {
      // Fails where the race does not happen.
      await until(async () => (await agentsThatWait()) > 0, 20_000).finally(() => mayCommit.resolve());
      await beginning;
      for (let step = 0; step < 3; step += 1) {
        await driver.act({ action: 'screenshot' }, { epoch });
        await look();
      }
    });
    assert.ok(isHeld(sessionId));
    assert.equal((await store.browsers.of(sessionId))?.epoch, epoch);
    assert.deepEqual(await runtime.told(sessionId), []);
    await driver.closeSession(epoch);
  });

  it('are kept by a task that begins after an agent has parked them and before their host has closed them', async () => {
    const { sessionId, epoch, driver } = await opened();
    const { bus, store, log } = runtime;
    const parked = Promise.withResolvers<void>();
    const mayClose = Promise.withResolvers<void>();
    const slow: Store = {
      ...store,
      change: async (id, work) => {
        const result = await store.change(id, work);
        if (id === sessionId) {
          parked.resolve();
          await mayClose.promise;
        }
        return result;
      },
    };
    const rounds = countRounds();
    const agent = startIdleBrowsers({ bus, store: countingLooks(slow, rounds.count), log, idleMs, everyMs: 50 });
    try {
      await parked.promise;
      assert.equal((await store.browsers.of(sessionId))?.host_id, null);
      await runtime.newTask(sessionId);
      const next = await runtime.open(sessionId, 'p1', host.bootId);
      assert.equal(next, epoch + 2);
      mayClose.resolve();
      await rounds.pass(2);
      await driver.act({ action: 'screenshot' }, { epoch: next });
      assert.ok(isHeld(sessionId));
      await driver.closeSession(next);
    } finally {
      mayClose.resolve();
      await agent.close();
    }
  });

  it('that were taken from their host by an agent that died before it closed them are closed by the next agent', async () => {
    const { sessionId, epoch } = await opened();
    const { store } = runtime;
    // As by an agent that dies right after.
    await store.change(sessionId, (tx) => store.browsers.park(tx, sessionId, { hostId: 'p1', epoch }));
    await runtime.setCold(sessionId);
    await whileParking(() => until(() => !isHeld(sessionId), 20_000));
  });

  it('are closed where their host has them under an epoch that the database never gave, and can be opened again', async () => {
    const { sessionId, epoch } = await opened();
    const to = { host_id: 'p1', session_id: sessionId };
    const ask = async (offered: number) => {
      const result = await runtime.bus.request(
        sessionCommand,
        to,
        { type: 'take', epoch: offered },
        { timeoutMs: 5000 },
      );
      return result.ok && result.reply.head.ok;
    };
    assert.equal(await ask(epoch + 2_000_000), false, 'further than it can have risen');
    assert.equal(await ask(epoch + 50), true, 'the host cannot know better');
    assert.equal(await ask(epoch), false);
    await whileParking(() => until(() => !isHeld(sessionId), 20_000));
    const again = await runtime.open(sessionId, 'p1', host.bootId);
    assert.equal(again, epoch + 1);
    assert.equal(await ask(again), true);
  });

  /** A host of the rows that is no host: what it is asked is counted, and answered as the test says. */
  async function pretendHost(hostId: string, answer: (command: HostCommand) => Promise<HostReply>) {
    const bus = await runtime.connectAs(hostId);
    const bootId = randomUUID();
    const asked: HostCommand[] = [];
    const responder = bus.respond(hostCommand, { host_id: hostId }, (command) => {
      asked.push(command);
      return answer(command);
    });
    await responder.ready({ timeoutMs: 5000 });
    const report = (sessions: { id: string; epoch: number }[]) =>
      runtime.store.hosts.renew({
        hostId,
        bootId,
        capacity: 100,
        leaseMs: 600_000,
        sessions: sessions.map(({ id, epoch }) => ({ session_id: id, epoch, is_watched: false, idle_ms: 60_000 })),
      });
    await report([]);
    const assign = async () => {
      const id = await runtime.newSession();
      await runtime.store.change(id, async (tx) => {
        await runtime.store.browsers.assign(tx, id, { id: hostId, bootId }, 0);
        await runtime.store.sessions.setBrowser(tx, id, 'live');
      });
      return { id, epoch: 1 };
    };
    return { asked, report, assign, close: () => bus.close() };
  }

  it('of a host that does not answer delay no other host, and cost few requests', async () => {
    const stuck = await pretendHost('p2', () => new Promise<never>(() => {}));
    const resting = [];
    for (let i = 0; i < 20; i += 1) resting.push(await stuck.assign());
    await stuck.report(resting);
    const lost = await runtime.newSession();
    await runtime.store.change(lost, (tx) => runtime.store.sessions.setBrowser(tx, lost, 'live'));
    const { sessionId } = await opened();
    await whileParking(async (look) => {
      await until(async () => (await browserOf(lost)) === 'cold' && !isHeld(sessionId), 25_000);
      await look();
      // Two at a time for each of two agents, and those that came after the first gave no answer.
      assert.ok(stuck.asked.length <= 40, `${stuck.asked.length} requests`);
      await runtime.store.transaction(({ client }) =>
        client.query(`update hosts set lease_until = now() where id = 'p2'`),
      );
    });
    await stuck.close();
  });

  it('are parked at once at a host that takes no more, also while they are watched or their task waits for a person', async (t) => {
    const leaving = await runtime.addHost('p2');
    t.after(leaving.close);
    const { store } = runtime;
    const [resting, waiting, working] = [
      await runtime.newSession(),
      await runtime.newSession(),
      await runtime.newSession(),
    ];
    for (const id of [resting, waiting, working]) await runtime.open(id, 'p2', leaving.bootId);
    await drive(runtime.bus, 'p2', resting).tell({ type: 'watch', for_ms: 60_000 });
    const { id: taskId } = await runtime.newTask(waiting);
    const begun = await store.change(waiting, (tx) => store.tasks.beginExecution(tx, taskId, newId()));
    assert.ok(begun);
    const question = { text: 'Ready?', stepId: 'step-1', expiresInSecs: 3600 };
    const held = { id: taskId, executionId: begun.executionId };
    await store.change(waiting, (tx) => store.questions.ask(tx, held, question, null));
    await runtime.newTask(working);
    const hostsOf = () =>
      Promise.all([resting, waiting, working].map(async (id) => (await store.browsers.of(id))?.host_id));
    const { bus, log } = runtime;
    const looking = startIdleBrowsers({ bus, store, log, idleMs: 3_600_000, everyMs: 50 });
    try {
      await leaving.say({ capacity: 0 });
      await until(async () => JSON.stringify(await hostsOf()) === JSON.stringify([null, null, 'p2']), 20_000);
      await until(() => leaving.host.status().sessions.length === 1, 20_000);
    } finally {
      await looking.close();
    }
    const close = { type: 'close', session_id: working, epoch: 1 } as const;
    await bus.request(hostCommand, { host_id: 'p2' }, close, { timeoutMs: 5000 });
  });

  it('that a host makes up are closed once, and those that exist first', async () => {
    const hostile = await pretendHost('p2', async () => ({ ok: true }));
    const taken = await hostile.assign();
    await runtime.store.change(taken.id, (tx) =>
      runtime.store.browsers.park(tx, taken.id, { hostId: 'p2', epoch: taken.epoch }),
    );
    const madeUp = Array.from({ length: 1900 }, () => ({ id: newId(), epoch: 1 }));
    await hostile.report([...madeUp, taken]);
    const closes = () => hostile.asked.flatMap((command) => (command.type === 'close' ? command.session_id : []));
    await whileParking(async (look) => {
      await until(() => closes().filter((id) => id === taken.id).length >= 4, 25_000);
      await hostile.report([...madeUp.map(() => ({ id: newId(), epoch: 1 })), taken]);
      for (let i = 0; i < 3; i += 1) await look();
    });
    const others = closes().filter((id) => id !== taken.id);
    assert.equal(closes()[0], taken.id);
    assert.equal(new Set(others).size >= 100, true);
    assert.ok(others.length <= 200, `${others.length} of two agents`);
    await runtime.store.transaction(({ client }) =>
      client.query(`update hosts set lease_until = now() where id = 'p2'`),
    );
    await hostile.close();
  });

  it('become cold when their host is gone, and only then', async (t) => {
    const second = await runtime.addHost('p2');
    t.after(second.close);
    const { sessionId: staying, epoch } = await opened();
    await runtime.newTask(staying);
    const lost = await runtime.newSession();
    await runtime.open(lost, 'p2', second.bootId);
    await whileParking(async (look) => {
      await look();
      assert.equal(await browserOf(lost), 'live');
      second.stopBeating();
      await until(async () => (await browserOf(lost)) === 'cold', 20_000);
      await look();
      assert.deepEqual(await runtime.told(lost), ['cold'], 'told once');
      assert.equal(await browserOf(staying), 'live');
    });
    assert.equal((await runtime.store.browsers.of(lost))?.host_id, null);
    const close = { type: 'close', session_id: staying, epoch } as const;
    await runtime.bus.request(hostCommand, { host_id: 'p1' }, close, { timeoutMs: 5000 });
  });
});
