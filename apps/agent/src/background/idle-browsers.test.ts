import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { hostCommand, sessionCommand } from '@pilothouse/bus';
import type { Store } from '@pilothouse/store';
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

  it('are never taken from a task that begins in the same moment', async () => {
    const outcomes = { parked: 0, kept: 0 };
    for (let round = 0; round < 4; round += 1) {
      const { sessionId } = await opened();
      // One that is parked meanwhile is no longer at its host.
      const untilIdle = (ms: number) => until(() => (statusOf(sessionId)?.idle_ms ?? ms) >= ms, 20_000);
      await untilIdle(idleMs - 300);
      await whileParking(async (look) => {
        // Around the moment when an agent finds it idle.
        await untilIdle(idleMs - 300 + round * 150);
        await runtime.newTask(sessionId);
        const known = await runtime.store.browsers.of(sessionId);
        const epoch = known?.is_live ? known.epoch : await runtime.open(sessionId, 'p1', host.bootId);
        outcomes[known?.is_live ? 'kept' : 'parked'] += 1;
        const driver = drive(runtime.bus, 'p1', sessionId);
        for (let step = 0; step < 5; step += 1) {
          await driver.act({ action: 'screenshot' }, { epoch });
          await look();
        }
        assert.ok(isHeld(sessionId));
        await driver.closeSession(epoch);
      });
    }
    console.log(`a task at the moment of parking: ${JSON.stringify(outcomes)}`);
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

  it('become cold when their host is gone, and only then', async () => {
    const second = await runtime.addHost('p2');
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
    await second.close();
  });
});
