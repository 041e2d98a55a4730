import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bus, type Checkpoint, checkpoint, connectBus, queues, type Report, report } from '@pilothouse/bus';
import { type NatsForTest, startNats } from '@pilothouse/bus/testing';
import { drive, type HostForTest, startHost } from '../testing/host.ts';
import { chromiumPids } from '../testing/processes.ts';
import type { Site } from '../testing/site.ts';
import { ENTERED, startSiteWithState } from '../testing/site-with-state.ts';
import { until } from '../testing/until.ts';
import { openSession as openReal, type Session, type SessionOptions } from './session.ts';

const stateOf = (n: number) => ({ storage: { n }, pages: [] });

describe('a place at a host', () => {
  let nats: NatsForTest;
  let site: Site;
  let agent: Bus;
  let host: HostForTest;
  let reports: { told: Report; at: number }[] = [];
  let kept: Checkpoint[] = [];
  let hearsCheckpoints = true;
  /** The last session that was opened, and what it was given. */
  let last: { options: SessionOptions; session: Session };
  let repairs = 0;
  let isCrashed = false;
  before(async () => {
    [nats, site] = await Promise.all([startNats({ hosts: ['h8'] }), startSiteWithState()]);
    agent = await connectBus(nats.as('agent'));
    const heard = agent.respond(
      report,
      {},
      (told) => {
        reports.push({ told, at: performance.now() });
        return {};
      },
      { queue: queues.report },
    );
    const keeps = agent.respond(
      checkpoint,
      {},
      async (told) => {
        await sleep(50);
        if (!hearsCheckpoints) await sleep(5000);
        kept.push(told);
        return { is_kept: true };
      },
      { queue: queues.checkpoint },
    );
    await Promise.all([heard.ready({ timeoutMs: 2000 }), keeps.ready({ timeoutMs: 2000 })]);
    const openSession = async (options: SessionOptions): Promise<Session> => {
      const session = await openReal(options);
      last = { options, session };
      const repair = async () => {
        repairs += 1;
        isCrashed = false;
      };
      return { ...session, isCrashed: () => isCrashed, repair };
    };
    host = await startHost(nats, 'h8', { capacity: 2, openSession });
  });
  after(async () => {
    await host?.close();
    await agent?.close();
    await Promise.all([site?.close(), nats?.close()]);
  });

  it('tells what it holds and whether anybody uses it', async () => {
    const session = drive(agent, 'h8');
    await session.open();
    await session.act({ action: 'screenshot' });
    await session.tell({ type: 'watch', for_ms: 400 });
    await sleep(200);
    const told = await session.status();
    assert.ok(told.ok && told.status);
    const { sessions, ...rest } = told.status;
    assert.deepEqual(rest, { capacity: 2, warm: 0, has_own_users: process.getuid?.() === 0 });
    const [one] = sessions;
    assert.deepEqual([one?.session_id, one?.epoch, one?.pages, one?.is_watched], [session.sessionId, 1, 1, true]);
    assert.ok(one && one.idle_ms >= 190 && one.idle_ms < 5000, `${one?.idle_ms}`);
    await sleep(300);
    const later = await session.status();
    assert.equal(later.ok && later.status?.sessions[0]?.is_watched, false);
    await session.closeSession();
  });

  it('answers its closing with what brings it back', async () => {
    const first = drive(agent, 'h8');
    await first.open();
    await first.act({ action: 'navigate', url: `${site.url}/enter` });
    await first.act({ action: 'navigate', url: `${site.url}/home` });
    const closed = await first.closeSession();
    assert.ok(closed.ok && closed.state);
    const second = drive(agent, 'h8');
    await second.open({ state: closed.state });
    const { acted } = await second.act({ action: 'wait', for: { text: 'Home' } });
    assert.equal(acted.after.title, ENTERED('one'));
    await second.closeSession();
  });

  it('notices at once that its browser was killed, says so, and is free for the next', async () => {
    reports = [];
    const session = drive(agent, 'h8');
    await session.open();
    await session.act({ action: 'navigate', url: `${site.url}/enter` });
    const { acted } = await session.act({ action: 'navigate', url: `${site.url}/home` });
    const pids = await chromiumPids(host.folder);
    const killed = performance.now();
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    await until(() => reports.length > 0, 2000);
    const noticedMs = (reports[0]?.at ?? Number.NaN) - killed;
    const reopened = await session.open({ epoch: 2, state: acted.state });
    const { acted: back } = await session.act({ action: 'wait', for: { text: 'Home' } }, { epoch: 2 });
    const backMs = performance.now() - killed;
    console.log(`killed browser: told after ${noticedMs.toFixed(0)} ms, its page back after ${backMs.toFixed(0)} ms`);
    assert.deepEqual(reopened, { ok: true });
    assert.equal(back.after.title, ENTERED('one'));
    assert.deepEqual(
      reports.map(({ told }) => told),
      [{ type: 'crashed', session_id: session.sessionId, epoch: 1, what: 'browser', url: null }],
    );
    await session.closeSession(2);
    assert.equal(reports.length, 1, 'closing is no crash');
    assert.deepEqual(await readdir(host.folder), []);
  });

  it('has a page that crashed repaired by whoever opens it again', async () => {
    const session = drive(agent, 'h8');
    await session.open();
    isCrashed = true;
    const stale = await session.open({ epoch: 0 });
    assert.ok(!stale.ok && stale.failure === 'stale_epoch');
    assert.equal(repairs, 0);
    assert.deepEqual(await session.open({ epoch: 2 }), { ok: true });
    assert.equal(repairs, 1);
    assert.equal(last.session.epoch(), 2);
    await session.closeSession(2);
  });

  it('hands over states one at a time, the newest of those that wait, until they are kept', async () => {
    kept = [];
    const session = drive(agent, 'h8');
    await session.open();
    for (let n = 1; n <= 5; n += 1) last.options.onCheckpoint(stateOf(n));
    await until(() => kept.length === 2, 2000);
    assert.deepEqual(
      kept.map(({ state, epoch, session_id }) => [state.storage.n, epoch, session_id]),
      [1, 5].map((n) => [n, 1, session.sessionId]),
    );
    hearsCheckpoints = false;
    last.options.onCheckpoint(stateOf(6));
    await sleep(200);
    last.options.onCheckpoint(stateOf(7));
    hearsCheckpoints = true;
    await until(() => kept.some(({ state }) => state.storage.n === 7), 8000);
    host.setHeld(false);
    last.options.onCheckpoint(stateOf(8));
    await sleep(300);
    host.setHeld(true);
    assert.ok(!kept.some(({ state }) => state.storage.n === 8), 'without a lease nobody wants them');
    await session.closeSession();
  });

  it('is opened and closed by many at once, and ends as the last one wanted', async () => {
    for (let round = 0; round < 3; round += 1) {
      const session = drive(agent, 'h8');
      const opens = await Promise.all([session.open(), session.open(), session.open()]);
      assert.ok(opens.every(({ ok }) => ok));
      assert.equal((await chromiumPids(host.folder)).length > 0, true);
      const [closed, opened, again] = await Promise.all([
        session.closeSession(),
        sleep(5).then(() => session.open({ epoch: 2 })),
        sleep(5).then(() => session.open({ epoch: 2 })),
      ]);
      assert.ok(closed.ok && opened.ok && again.ok);
      assert.equal((await readdir(host.folder)).length, 1, 'one browser');
      assert.equal(await session.failureOf({ action: 'screenshot' }, { epoch: 2 }), undefined);
      const late = await session.closeSession(1);
      assert.ok(!late.ok && late.failure === 'stale_epoch');
      await session.closeSession(2);
      assert.deepEqual(await readdir(host.folder), []);
    }
  });
});
