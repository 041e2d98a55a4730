import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Bus, connectBus } from '@pilothouse/bus';
import { type NatsForTest, startNats } from '@pilothouse/bus/testing';
import { until } from '../../../../testkit/until.ts';
import { drive, type HostForTest, startHost } from '../../testing/host.ts';
import { chromiumPids, rendererPids } from '../../testing/processes.ts';
import { openHostFolder } from '../chromium/folders.ts';
import { newId } from '../common/id.ts';

const blank = { url: 'about:blank', scroll_x: 0, scroll_y: 0, session_storage: {} };

describe('a host', () => {
  let nats: NatsForTest;
  let agent: Bus;
  let host: HostForTest;
  before(async () => {
    nats = await startNats({ hosts: ['h3'] });
    agent = await connectBus(nats.as('agent'));
    host = await startHost(nats, 'h3', { capacity: 2 });
  });
  after(async () => {
    await host?.close();
    await agent?.close();
    await nats?.close();
  });

  it('holds sessions up to its capacity, each once, and frees the slot of a closed session', async () => {
    const [one, two, three] = [drive(agent, 'h3'), drive(agent, 'h3'), drive(agent, 'h3')];
    assert.deepEqual(await Promise.all([one.open(), two.open(), two.open()]), [
      { ok: true },
      { ok: true },
      { ok: true },
    ]);
    const refused = await three.open();
    assert.ok(!refused.ok && refused.failure === 'full');
    assert.deepEqual(
      host.host.status().sessions.map(({ session_id, epoch }) => ({ session_id, epoch })),
      [one, two].map(({ sessionId }) => ({ session_id: sessionId, epoch: 1 })),
    );
    const late = await one.closeSession(0);
    assert.ok(!late.ok && late.failure === 'stale_epoch');
    const state = { storage: { cookies: [], origins: [] }, pages: [blank] };
    assert.deepEqual(await one.closeSession(), { ok: true, state });
    assert.deepEqual(await one.closeSession(), { ok: true }, 'closing again is no error');
    assert.deepEqual(await three.open(), { ok: true });
    const closed = await Promise.all([two.closeSession(), two.closeSession(), three.closeSession()]);
    assert.deepEqual(
      closed,
      Array(3).fill({ ok: true, state }),
      'every agent that closes at the same time gets the state',
    );
    assert.deepEqual(await readdir(host.folder), [], 'nothing is left of them');
  });

  it('does not answer for a session that it does not hold', async () => {
    const result = await drive(agent, 'h3').ask({ type: 'look' });
    assert.ok(!result.ok && result.reason === 'no_responders');
  });

  it('does nothing without a lease, keeps its browsers, and goes on in them when the lease is back', async () => {
    const session = drive(agent, 'h3');
    await session.open();
    const page = 'data:text/html,<title>Kept</title>';
    await session.act({ action: 'navigate', url: page });
    const done = { type: 'act', command_id: newId(), epoch: 1, deadline_ms: 5000, step: { action: 'scroll' } } as const;
    assert.ok((await session.tell(done)).head.ok);
    const pids = await chromiumPids(host.folder);
    const refused = { ...done, command_id: newId() };
    host.setHeld(false);
    try {
      for (const command of [refused, done, { type: 'look' }, { type: 'take', epoch: 2 }] as const) {
        const { head } = await session.tell(command);
        assert.ok(!head.ok && head.failure === 'no_lease' && !head.has_touched, command.type);
      }
      const known = await session.tell({ type: 'answer', command_id: done.command_id });
      assert.ok(known.head.ok, 'what was done before can be read');
      const opened = await drive(agent, 'h3').open();
      assert.ok(!opened.ok && opened.failure === 'no_lease');
      assert.deepEqual(await chromiumPids(host.folder), pids);
    } finally {
      host.setHeld(true);
    }
    assert.ok((await session.tell(refused)).head.ok, 'a command that was refused is done when it comes again');
    const { acted } = await session.act({ action: 'screenshot' });
    assert.equal(acted.after.url, page);
    assert.deepEqual(await chromiumPids(host.folder), pids);
    assert.ok((await session.closeSession()).ok);
  });

  it('performs a command that lost its lease before it touched anything, when it is sent again', async () => {
    const session = drive(agent, 'h3');
    await session.open();
    const step = { action: 'click', target: 'Later' } as const;
    const command = { type: 'act', command_id: newId(), epoch: 1, deadline_ms: 8000, step } as const;
    await session.act({ action: 'navigate', url: 'data:text/html,<p>Not yet' });
    const first = session.tell(command);
    await session.underWay();
    host.setHeld(false);
    const { head } = await first.finally(() => host.setHeld(true));
    assert.ok(!head.ok && head.failure === 'no_lease' && !head.has_touched, JSON.stringify(head));
    await session.act({ action: 'navigate', url: 'data:text/html,<button>Later</button>' });
    const again = await session.tell(command);
    assert.ok(again.head.ok, JSON.stringify(again.head));
    assert.ok((await session.closeSession()).ok);
  });

  it('ends a browser when it learns that another host has the session, also without a lease', async () => {
    const [moved, closed, kept] = [drive(agent, 'h3'), drive(agent, 'h3'), drive(agent, 'h3')];
    await Promise.all([moved.open({ epoch: 4 }), kept.open({ epoch: 4 })]);
    host.setHeld(false);
    try {
      host.host.endOlder([
        { session_id: kept.sessionId, epoch: 4 },
        { session_id: closed.sessionId, epoch: 9 },
        { session_id: moved.sessionId, epoch: 5 },
      ]);
      const sessions = () => host.host.status().sessions.map(({ session_id }) => session_id);
      await until(() => sessions().length === 1, 10_000);
      assert.deepEqual(sessions(), [kept.sessionId]);
      assert.ok((await kept.closeSession(5)).ok, 'closed by an agent');
      await until(async () => (await chromiumPids(host.folder)).length === 0, 10_000);
    } finally {
      host.setHeld(true);
    }
  });

  it('drops a session whose browser died, answers the command under way, and can open the session again', async () => {
    const session = drive(agent, 'h3');
    await session.open();
    const slow = session.failureOf({ action: 'wait', for: { text: 'Never said' } });
    await session.underWay();
    for (const pid of await chromiumPids(host.folder)) process.kill(pid, 'SIGKILL');
    assert.equal(await slow, 'crashed');
    const later = await session.ask({ type: 'look' });
    assert.ok(!later.ok && later.reason === 'no_responders');
    assert.deepEqual(await session.open({ epoch: 2 }), { ok: true });
    assert.ok((await session.closeSession(2)).ok);
  });

  it('ends a browser whose operation does not end when a driver asks again', async () => {
    const session = drive(agent, 'h3');
    await session.open();
    const page = 'data:text/html,<title>Still</title><button>Go</button>';
    await session.act({ action: 'navigate', url: page });
    const pids = await rendererPids(host.folder);
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    const moved = session.failureOf({ action: 'scroll', delta_y: 100 }, { deadlineMs: 6000 });
    await session.underWay();
    const first = await session.open({ epoch: 2 });
    assert.ok(!first.ok && first.failure === 'timeout', JSON.stringify(first));
    assert.deepEqual(await session.open({ epoch: 3 }), { ok: true });
    assert.ok(['stale_epoch', 'crashed'].includes((await moved) ?? ''));
    const { acted } = await session.act({ action: 'screenshot' }, { epoch: 3 });
    assert.equal(acted.after.url, 'about:blank', 'another browser');
    assert.ok((await session.closeSession(3)).ok);
    assert.deepEqual(await chromiumPids(host.folder), []);
  });

  it('ends a browser that is still opening', async () => {
    const session = drive(agent, 'h3');
    const opening = session.open();
    // Its browser is being launched.
    await until(async () => (await readdir(host.folder)).length === 1, 5000);
    await host.host.endAll();
    const opened = await opening;
    assert.ok(!opened.ok && opened.failure === 'crashed');
    assert.deepEqual(host.host.status().sessions, []);
    assert.deepEqual(await chromiumPids(host.folder), []);
    assert.deepEqual(await readdir(host.folder), []);
  });

  it('removes the folders of dead hosts at its start, and no others', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'pilothouse-folders-'));
    try {
      // No process has this number: it is above the highest that Linux assigns.
      const [dead, alive] = [`pilothouse-browser-a-${2 ** 23}`, `pilothouse-browser-a-${process.ppid}`];
      for (const name of [dead, alive, 'other']) await mkdir(join(parent, name, 'inside'), { recursive: true });
      const folder = await openHostFolder(parent, 'b');
      assert.deepEqual((await readdir(parent)).sort(), ['other', alive, `pilothouse-browser-b-${process.pid}`].sort());
      await folder.close();
      assert.ok(!existsSync(folder.path));
    } finally {
      await rm(parent, { recursive: true });
    }
  });
});
