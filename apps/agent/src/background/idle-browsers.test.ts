import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { hostCommand } from '@pilothouse/bus';
import { drive } from '../../browser/testing/host.ts';
import type { Site } from '../../browser/testing/site.ts';
import { ENTERED, startSiteWithState } from '../../browser/testing/site-with-state.ts';
import { until } from '../../browser/testing/until.ts';
import { type Runtime, startRuntime } from '../testing/runtime.ts';
import { startParking } from './parking.ts';

const idleMs = 2000;

describe('browsers that nobody uses', () => {
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
  const isHeld = (sessionId: string) => host.host.status().sessions.some(({ session_id }) => session_id === sessionId);
  const browserOf = async (sessionId: string) => (await runtime.store.sessions.byId(sessionId))?.browser;
  /** Two agents, as they would be in a larger house. */
  async function whileParking(work: () => Promise<void>): Promise<void> {
    const { bus, store, log } = runtime;
    const two = [1, 2].map(() => startParking({ bus, store, log, idleMs, everyMs: 50 }));
    await work().finally(() => Promise.all(two.map((one) => one.close())));
  }

  it('are closed by one agent, once, and come back as they were', async () => {
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

  it('stay while somebody watches, drives, or works', async () => {
    const [watched, driven, working, used] = await Promise.all([opened(), opened(), opened(), opened()]);
    await runtime.store.change(driven.sessionId, (tx) => runtime.store.sessions.move(tx, driven.sessionId, 'take'));
    await runtime.newTask(working.sessionId);
    const all = [watched, driven, working, used];
    await watched.driver.tell({ type: 'watch', for_ms: 60_000 });
    const end = performance.now() + 2.5 * idleMs;
    await whileParking(async () => {
      while (performance.now() < end) {
        await used.driver.act({ action: 'screenshot' });
        await sleep(100);
      }
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

  it('are never taken from a task that begins at that very moment', async () => {
    const outcomes = { parked: 0, kept: 0 };
    for (let round = 0; round < 4; round += 1) {
      const { sessionId } = await opened();
      await sleep(idleMs - 300);
      await whileParking(async () => {
        // Around the moment when it is found to be unused.
        await sleep(round * 150);
        await runtime.newTask(sessionId);
        const known = await runtime.store.browsers.of(sessionId);
        const epoch = known?.is_live ? known.epoch : await runtime.open(sessionId, 'p1', host.bootId);
        outcomes[known?.is_live ? 'kept' : 'parked'] += 1;
        const driver = drive(runtime.bus, 'p1', sessionId);
        for (let step = 0; step < 5; step += 1) {
          await driver.act({ action: 'screenshot' }, { epoch });
          await sleep(60);
        }
        assert.ok(isHeld(sessionId));
        await driver.closeSession(epoch);
      });
    }
    console.log(`a task at the moment of parking: ${JSON.stringify(outcomes)}`);
  });

  it('that were taken from their host, and not closed by whoever took them, are closed by the next to look', async () => {
    const { sessionId, epoch } = await opened();
    const { store } = runtime;
    // As by an agent that dies right after.
    await store.change(sessionId, (tx) => store.browsers.park(tx, sessionId, { hostId: 'p1', epoch }));
    await runtime.setCold(sessionId);
    await whileParking(() => until(() => !isHeld(sessionId), 20_000));
  });

  it('are said to be gone when their host is, and only then', async () => {
    const second = await runtime.addHost('p2');
    const { sessionId: staying, epoch } = await opened();
    await runtime.newTask(staying);
    const lost = await runtime.newSession();
    await runtime.open(lost, 'p2', second.bootId);
    await whileParking(async () => {
      await sleep(300);
      assert.equal(await browserOf(lost), 'live');
      second.stopBeating();
      await until(async () => (await browserOf(lost)) === 'cold', 20_000);
      await sleep(300);
      assert.deepEqual(await runtime.told(lost), ['cold'], 'told once');
      assert.equal(await browserOf(staying), 'live');
    });
    assert.equal((await runtime.store.browsers.of(lost))?.host_id, null);
    const close = { type: 'close', session_id: staying, epoch } as const;
    await runtime.bus.request(hostCommand, { host_id: 'p1' }, close, { timeoutMs: 5000 });
    await second.close();
  });
});
