import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Bus, connectBus } from '@pilothouse/bus';
import { type NatsForTest, startNats } from '@pilothouse/bus/testing';
import { createLog } from '@pilothouse/process';
import { until } from '../../../../testkit/until.ts';
import { drive, firstUid, type HostForTest, startHost } from '../../testing/host.ts';
import { chromiumPids, pidsOfUser } from '../../testing/processes.ts';
import type { Chromium } from './launch.ts';
import { createPool } from './pool.ts';

const isRoot = process.getuid?.() === 0;

/** The main process of each browser. */
async function browsers(folder: string): Promise<number[]> {
  return (await chromiumPids(folder)).toSorted((a, b) => a - b);
}

describe('browsers launched ahead', () => {
  let nats: NatsForTest;
  let agent: Bus;
  let host: HostForTest;
  before(async () => {
    nats = await startNats({ hosts: ['h7'] });
    agent = await connectBus(nats.as('agent'));
    host = await startHost(nats, 'h7', { capacity: 2, warm: 1 });
  });
  after(async () => {
    await host?.close();
    await agent?.close();
    await nats?.close();
  });
  const isWarm = () => host.host.status().warm === 1;
  const folders = async () => (await readdir(host.folder)).length;

  it('serve one session each, are replaced, and leave the last place to the next session', async () => {
    await until(isWarm, 10_000);
    const [ahead] = await readdir(host.folder);
    const [one, two, three] = [drive(agent, 'h7'), drive(agent, 'h7'), drive(agent, 'h7')];
    assert.deepEqual(await one.open(), { ok: true });
    assert.deepEqual(await readdir(host.folder), [ahead], 'it was that one');
    await until(isWarm, 10_000);
    assert.equal(await folders(), 2);
    assert.deepEqual(await two.open(), { ok: true });
    const full = await three.open();
    assert.ok(!full.ok && full.failure === 'full');
    assert.equal(host.host.status().warm, 0);
    assert.equal(await folders(), 2, 'no room for one ahead');
    await Promise.all([one.closeSession(), two.closeSession()]);
    await until(isWarm, 10_000);
    assert.equal(await folders(), 1);
  });

  it('are of use also for a session of another size', async () => {
    await until(isWarm, 10_000);
    const session = drive(agent, 'h7');
    assert.deepEqual(await session.open({ viewport: { width: 800, height: 600 } }), { ok: true });
    const { head } = await session.tell({ type: 'look' });
    assert.ok(head.ok && head.type === 'seen');
    assert.deepEqual([head.picture.width, head.picture.height], [800, 600]);
    await session.closeSession();
  });

  it('are noticed and replaced when they die while they wait', async () => {
    await until(isWarm, 10_000);
    const before = await readdir(host.folder);
    for (const pid of await browsers(host.folder)) process.kill(pid, 'SIGKILL');
    await until(() => !isWarm(), 1000);
    await until(isWarm, 10_000);
    await until(async () => (await folders()) === 1, 2000);
    assert.notDeepEqual(await readdir(host.folder), before);
  });

  it('end with the lease, and come back with it', async () => {
    await until(isWarm, 10_000);
    host.setHeld(false);
    await host.host.endAll();
    assert.deepEqual(await browsers(host.folder), []);
    assert.deepEqual(await readdir(host.folder), []);
    host.setHeld(true);
    host.host.fill();
    await until(isWarm, 10_000);
  });

  it('hand their user on only when nothing of it is left', { skip: !isRoot }, async () => {
    const session = drive(agent, 'h7');
    await session.open();
    const uids = [0, 1, 2, 3].map((index) => firstUid + index);
    const before = await Promise.all(uids.map(pidsOfUser));
    assert.ok(before.some((pids) => pids.length > 0));
    await session.closeSession();
    const inUse = (await Promise.all(uids.map(pidsOfUser))).filter((pids) => pids.length > 0);
    assert.ok(inUse.length <= 1, 'only the one that waits has processes');
  });
});

describe('browsers that cannot be launched ahead', () => {
  it('are not tried again and again', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let launches = 0;
    const launch = (): Promise<Chromium> => {
      launches += 1;
      return Promise.reject(new Error('no such program'));
    };
    const pool = createPool({
      launch,
      prepare: async (chromium) => chromium,
      size: 1,
      room: () => 1,
      log: createLog('pool', 'silent'),
    });
    pool.fill();
    t.mock.timers.tick(1);
    assert.equal(launches, 1);
    // The pool hears of the failure.
    await nextTurn();
    for (let i = 0; i < 20; i += 1) {
      pool.fill();
      t.mock.timers.tick(20);
      await nextTurn();
    }
    assert.equal(launches, 1);
    t.mock.timers.tick(600);
    assert.equal(launches, 2);
    await assert.rejects(pool.take(), /no such program/);
    await pool.close();
  });
});
