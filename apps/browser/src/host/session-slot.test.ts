import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { type Bus, type Checkpoint, checkpoint, connectBus, queues, type Report, report } from '@pilothouse/bus';
import { type NatsForTest, startNats } from '@pilothouse/bus/testing';
import { until } from '../../../../testkit/until.ts';
import { drive, type HostForTest, startHost } from '../../testing/host.ts';
import { chromiumPids } from '../../testing/processes.ts';
import type { Site } from '../../testing/site.ts';
import { ENTERED, startSiteWithState } from '../../testing/site-with-state.ts';
import { openSession as openReal, type Session, type SessionOptions } from '../session/session.ts';

const stateOf = (n: number) => ({ storage: { n }, pages: [] });

describe('a session slot', () => {
  let nats: NatsForTest;
  let site: Site;
  let agent: Bus;
  let host: HostForTest;
  let reports: { message: Report; at: number }[] = [];
  let kept: Checkpoint[] = [];
  /** Called with each checkpoint before it is stored. */
  let beforeKept: (message: Checkpoint) => Promise<void> = async () => {};
  /** The last session that was opened, and what it was given. */
  let last: { options: SessionOptions; session: Session };
  /** Resolve when the last session that was opened is read for the last time, and when its browser is ended. */
  let ending: { saving: Promise<void>; closing: Promise<void> };
  let repairs = 0;
  before(async () => {
    [nats, site] = await Promise.all([startNats({ hosts: ['h8', 'h9'] }), startSiteWithState()]);
    agent = await connectBus(nats.as('agent'));
    const heard = agent.respond(
      report,
      {},
      (message) => {
        reports.push({ message, at: performance.now() });
        return {};
      },
      { queue: queues.report },
    );
    const keeps = agent.respond(
      checkpoint,
      {},
      async (message) => {
        await beforeKept(message);
        kept.push(message);
        return { is_kept: true };
      },
      { queue: queues.checkpoint },
    );
    await Promise.all([heard.ready({ timeoutMs: 2000 }), keeps.ready({ timeoutMs: 2000 })]);
    const openSession = async (options: SessionOptions): Promise<Session> => {
      const session = await openReal(options);
      last = { options, session };
      const [saving, closing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      ending = { saving: saving.promise, closing: closing.promise };
      const repair = async () => {
        repairs += 1;
      };
      const save: Session['save'] = (deadline) => {
        saving.resolve();
        return session.save(deadline);
      };
      const close = () => {
        closing.resolve();
        return session.close();
      };
      return { ...session, repair, save, close };
    };
    host = await startHost(nats, 'h8', { capacity: 2, openSession });
  });
  after(async () => {
    await host?.close();
    await agent?.close();
    await Promise.all([site?.close(), nats?.close()]);
  });

  it('reports its pages, its viewers and how long it was idle', async () => {
    const session = drive(agent, 'h8');
    await session.open();
    await session.act({ action: 'screenshot' });
    await session.tell({ type: 'watch', for_ms: 1500 });
    const reply = await session.status();
    assert.ok(reply.ok && reply.status);
    const { sessions, ...rest } = reply.status;
    assert.deepEqual(rest, { capacity: 2, warm: 0, has_own_users: process.getuid?.() === 0 });
    const [one] = sessions;
    assert.deepEqual([one?.session_id, one?.epoch, one?.pages, one?.is_watched], [session.sessionId, 1, 1, true]);
    await until(async () => (await session.usage())?.is_watched === false, 5000);
    const idleMs = async () => (await session.usage())?.idle_ms ?? Number.NaN;
    await until(async () => (await idleMs()) >= 1000, 5000);
    await session.act({ action: 'screenshot' });
    // A time of the host, compared with the second before: that it counts from the last act shows in nothing else.
    assert.ok((await idleMs()) < 1000, 'counted from the last act');
    await session.closeSession();
  });

  it('answers a close command with the saved state', async () => {
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

  it('reports at once that its browser was killed, and is free for the next browser', async () => {
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
    console.log(
      `killed browser: reported after ${noticedMs.toFixed(0)} ms, its page back after ${backMs.toFixed(0)} ms`,
    );
    assert.deepEqual(reopened, { ok: true });
    assert.equal(back.after.title, ENTERED('one'));
    assert.deepEqual(
      reports.map(({ message }) => message),
      [{ type: 'crashed', session_id: session.sessionId, epoch: 1, what: 'browser', url: null }],
    );
    await session.closeSession(2);
    assert.equal(reports.length, 1, 'closing is no crash');
    assert.deepEqual(await readdir(host.folder), []);
  });

  it('repairs a crashed page when an agent opens the session again', async () => {
    const session = drive(agent, 'h8');
    await session.open();
    repairs = 0;
    const stale = await session.open({ epoch: 0 });
    assert.ok(!stale.ok && stale.failure === 'stale_epoch');
    assert.equal(repairs, 0);
    assert.deepEqual(await session.open({ epoch: 2 }), { ok: true });
    assert.equal(repairs, 1);
    assert.equal(last.session.epoch(), 2);
    await session.closeSession(2);
  });

  it('sends a checkpoint soon after a person who drives has opened another page', async () => {
    kept = [];
    const session = drive(agent, 'h8');
    await session.open();
    await session.tell({ type: 'take', epoch: 2, is_person: true });
    await session.tell({ type: 'watch', for_ms: 30_000, is_driven: true });
    const url = `${site.url}/home`;
    await session.tell({ type: 'input', epoch: 2, inputs: [{ seq: 1, input: { action: 'navigate', url } }] });
    // Well before the first of those that are sent regularly.
    await until(() => kept.some(({ state }) => state.pages.some((page) => page.url === url)), 6000);
    await session.closeSession(2);
  });

  it('sends checkpoints one at a time, the newest of those that wait, until they are stored', async () => {
    kept = [];
    const asked: unknown[] = [];
    const [first, unanswered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    beforeKept = ({ state: { storage } }) => {
      asked.push(storage.n);
      return storage.n === 1 ? first.promise : storage.n === 6 ? unanswered.promise : Promise.resolve();
    };
    const session = drive(agent, 'h8');
    await session.open();
    for (let n = 1; n <= 5; n += 1) last.options.onCheckpoint(stateOf(n));
    await until(() => asked.length > 0, 2000);
    first.resolve();
    await until(() => kept.length === 2, 2000);
    assert.deepEqual(
      kept.map(({ state, epoch, session_id }) => [state.storage.n, epoch, session_id]),
      [1, 5].map((n) => [n, 1, session.sessionId]),
    );
    last.options.onCheckpoint(stateOf(6));
    await until(() => asked.includes(6), 2000);
    last.options.onCheckpoint(stateOf(7));
    await until(() => kept.some(({ state }) => state.storage.n === 7), 8000);
    // The bus keeps the order: the answer to the last one has come before this, and another one would come before it.
    await session.status();
    host.setHeld(false);
    last.options.onCheckpoint(stateOf(8));
    await session.status();
    host.setHeld(true);
    last.options.onCheckpoint(stateOf(9));
    await until(() => asked.includes(9), 2000);
    assert.deepEqual(asked, [1, 5, 6, 7, 9], 'without a lease none is sent');
    unanswered.resolve();
    await session.closeSession();
  });

  it('lets a step that is under way end before its host does, and sends the state after it', async () => {
    kept = [];
    const leaving = await startHost(nats, 'h9', { capacity: 2, place: 1 });
    const session = drive(agent, 'h9');
    await session.open();
    const url = `${site.url}/home`;
    await session.act({ action: 'navigate', url });
    const step = session.act({ action: 'wait', for: { secs: 1 } });
    await session.underWay();
    const left = leaving.close();
    assert.equal((await session.status()).ok, true, 'it answers meanwhile');
    const other = await drive(agent, 'h9').open();
    assert.ok(!other.ok && other.failure === 'full', 'and opens nothing');
    assert.equal((await step).acted.after.url, url);
    await left;
    assert.deepEqual(
      kept.at(-1)?.state.pages.map((page) => page.url),
      [url],
    );
  });

  it('is opened and closed by several agents at once, and ends as the newest epoch asked', async () => {
    for (const moment of ['at once', 'saving', 'closing'] as const) {
      const session = drive(agent, 'h8');
      const opens = await Promise.all([session.open(), session.open(), session.open()]);
      assert.ok(opens.every(({ ok }) => ok));
      assert.equal((await chromiumPids(host.folder)).length > 0, true);
      const reached = moment === 'at once' ? Promise.resolve() : ending[moment];
      const [closed, opened, again] = await Promise.all([
        session.closeSession(),
        reached.then(() => session.open({ epoch: 2 })),
        reached.then(() => session.open({ epoch: 2 })),
      ]);
      assert.ok(closed.ok && opened.ok && again.ok, moment);
      assert.equal((await readdir(host.folder)).length, 1, 'one browser');
      assert.equal(await session.failureOf({ action: 'screenshot' }, { epoch: 2 }), undefined);
      const late = await session.closeSession(1);
      assert.ok(!late.ok && late.failure === 'stale_epoch');
      await session.closeSession(2);
      assert.deepEqual(await readdir(host.folder), []);
    }
  });
});
