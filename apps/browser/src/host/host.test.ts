import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bus, connectBus } from '@pilothouse/bus';
import { type NatsForTest, startNats } from '@pilothouse/bus/testing';
import { drive, type HostForTest, startHost } from '../testing/host.ts';
import { chromiumPids, rendererPids } from '../testing/processes.ts';
import { openHostFolder } from './folder.ts';

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

  it('holds as many sessions as it can, each once, and frees the place of one that is closed', async () => {
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
    assert.deepEqual(closed, Array(3).fill({ ok: true, state }), 'and whoever closes at the same time has the answer');
    assert.deepEqual(await readdir(host.folder), [], 'nothing is left of them');
  });

  it('does not answer for a session that it does not hold', async () => {
    const result = await drive(agent, 'h3').ask({ type: 'look' });
    assert.ok(!result.ok && result.reason === 'no_responders');
  });

  it('refuses without a lease, and ends its browsers when it is lost', async () => {
    const session = drive(agent, 'h3');
    await session.open();
    host.setHeld(false);
    try {
      assert.equal(await session.failureOf({ action: 'screenshot' }), 'no_lease');
      const opened = await drive(agent, 'h3').open();
      assert.ok(!opened.ok && opened.failure === 'no_lease');
      await host.host.endAll();
      assert.deepEqual(await chromiumPids(host.folder), []);
    } finally {
      host.setHeld(true);
    }
  });

  it('drops a session whose browser died, answers what it had in hand, and can open it again', async () => {
    const session = drive(agent, 'h3');
    await session.open();
    const slow = session.failureOf({ action: 'wait', for: { text: 'Never said' } });
    await sleep(100);
    for (const pid of await chromiumPids(host.folder)) process.kill(pid, 'SIGKILL');
    assert.equal(await slow, 'crashed');
    const later = await session.ask({ type: 'look' });
    assert.ok(!later.ok && later.reason === 'no_responders');
    assert.deepEqual(await session.open({ epoch: 2 }), { ok: true });
    assert.ok((await session.closeSession(2)).ok);
  });

  it('ends a browser in which what was under way does not end, for who asks again', async () => {
    const session = drive(agent, 'h3');
    await session.open();
    const page = 'data:text/html,<title>Still</title><button>Go</button>';
    await session.act({ action: 'navigate', url: page });
    const pids = await rendererPids(host.folder);
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    const clicked = session.failureOf({ action: 'press', key: 'Tab' }, { deadlineMs: 6000 });
    await sleep(300);
    const first = await session.open({ epoch: 2 });
    assert.ok(!first.ok && first.failure === 'timeout', JSON.stringify(first));
    assert.deepEqual(await session.open({ epoch: 3 }), { ok: true });
    assert.ok(['stale_epoch', 'crashed'].includes((await clicked) ?? ''));
    const { acted } = await session.act({ action: 'screenshot' }, { epoch: 3 });
    assert.equal(acted.after.url, 'about:blank', 'another browser');
    assert.ok((await session.closeSession(3)).ok);
    assert.deepEqual(await chromiumPids(host.folder), []);
  });

  it('ends a browser that is still opening', async () => {
    const session = drive(agent, 'h3');
    const opening = session.open();
    await sleep(50);
    await host.host.endAll();
    const opened = await opening;
    assert.ok(!opened.ok && opened.failure === 'crashed');
    assert.deepEqual(host.host.status().sessions, []);
    assert.deepEqual(await chromiumPids(host.folder), []);
    assert.deepEqual(await readdir(host.folder), []);
  });

  it('removes at its start what dead hosts left, and only that', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'pilothouse-folders-'));
    try {
      // No process has this number: it is beyond what Linux gives.
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
