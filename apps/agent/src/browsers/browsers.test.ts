import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { hostCommand } from '@pilothouse/bus';
import type { Step } from '@pilothouse/contract';
import { newId } from '@pilothouse/store';
import { type Runtime, startRuntime } from '../../testing/runtime.ts';
import { type Browsers, createBrowsers } from './browsers.ts';
import type { BrowserHandle } from './handle.ts';

const signal = new AbortController().signal;
const anywhere = { allow: null, deny: [] };

describe('the browsers of an agent', () => {
  let runtime: Runtime;
  let host: Awaited<ReturnType<Runtime['addHost']>>;
  let browsers: Browsers;
  let server: Server;
  let site: string;
  before(async () => {
    server = createServer((_, response) => {
      // A title and a text that PostgreSQL cannot store.
      const script = `<script>document.title = 'half \\ud83d'; document.body.append('nul \\0')</script>`;
      response.setHeader('content-type', 'text/html').end(`<body><h1>Here</h1>${script}`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    runtime = await startRuntime({ hosts: ['p1', 'p2'] });
    host = await runtime.addHost('p1');
    browsers = createBrowsers(runtime);
  });
  after(async () => {
    await host?.close();
    await runtime?.close();
    server?.closeAllConnections();
    server?.close();
  });

  const opening = async () => ({ id: await runtime.newSession(), viewport: { width: 800, height: 600 } });
  const act = (sessionId: string, handle: BrowserHandle, step: Step, commandId = newId()) =>
    browsers.act(sessionId, handle, { step, commandId, deadlineMs: 8000, signal });

  it('are opened again as they were for a task that may reach other domains', async () => {
    const session = await opening();
    const first = await browsers.ensure({ ...session, reach: anywhere }, { signal });
    assert.equal((await act(session.id, first, { action: 'navigate', url: site })).type, 'acted');
    assert.deepEqual(await browsers.ensure({ ...session, reach: anywhere }, { signal }), first);
    const reach = { allow: ['127.0.0.1'], deny: [] };
    const second = await browsers.ensure({ ...session, reach }, { signal });
    assert.ok(second.epoch > first.epoch);
    assert.equal((await browsers.look(session.id, second)).url, `${site}/`);
    assert.deepEqual(await browsers.ensure({ ...session, reach }, { signal }), second);
  });

  it('give only texts that PostgreSQL can store', async () => {
    const session = await opening();
    const handle = await browsers.ensure({ ...session, reach: anywhere }, { signal });
    await act(session.id, handle, { action: 'navigate', url: site });
    const read = await act(session.id, handle, { action: 'extract', kind: 'text', as: 'all' });
    assert.ok(read.type === 'acted');
    const said = JSON.stringify([read.acted.after.title, read.acted.data, read.acted.picture]);
    assert.match(said, /half/);
    assert.ok(!said.includes('\\ud83d') && !said.includes('\\u0000'), said);
    const seen = await browsers.see(session.id, handle, { timeoutMs: 5000, signal, withPicture: true });
    assert.ok(seen.type === 'done');
    assert.match(seen.reply.view.text, /^# Here\nnul/);
    assert.ok(seen.reply.picture && seen.reply.image.length > 0);
    const told = JSON.stringify(seen.reply.view);
    assert.ok(!told.includes('\\ud83d') && !told.includes('\\u0000'), told);
  });

  it('stay where they are when their host does not know a step, as one of an older release', async () => {
    const session = await opening();
    const handle = await browsers.ensure({ ...session, reach: anywhere }, { signal });
    // What a later release adds to a step, this host refuses as an older one refuses what this release has.
    const step = { action: 'click', target: { name: 'Remove', later: 'Brass lantern' } } as unknown as Step;
    const outcome = await act(session.id, handle, step);
    assert.ok(outcome.type === 'failed', JSON.stringify(outcome));
    assert.deepEqual([outcome.failure, outcome.hasTouched], ['unsupported', false]);
    assert.match(outcome.message, /older release/);
    assert.equal((await act(session.id, handle, { action: 'navigate', url: site })).type, 'acted');
  });

  it('look at a page no longer than they are told to', async () => {
    const session = await opening();
    const handle = await browsers.ensure({ ...session, reach: anywhere }, { signal });
    const seen = await browsers.see(session.id, handle, { timeoutMs: 5000, signal: AbortSignal.abort() });
    assert.deepEqual([seen.type, seen.type === 'unanswered' && seen.reason], ['unanswered', 'aborted']);
  });

  it('are found lost where their host ended them without a report, although the host is alive', async () => {
    const session = await opening();
    const handle = await browsers.ensure({ ...session, reach: anywhere }, { signal });
    const closed = await runtime.bus.request(
      hostCommand,
      { host_id: handle.hostId },
      { type: 'close', session_id: session.id, epoch: handle.epoch },
      { timeoutMs: 10_000 },
    );
    assert.ok(closed.ok && closed.reply.ok);
    assert.ok(await browsers.holds(session.id, handle), 'the database knows nothing of it');
    const outcome = await act(session.id, handle, { action: 'navigate', url: site });
    assert.ok(outcome.type === 'lost');
    assert.deepEqual([outcome.mayHaveActed, outcome.isUnheard], [false, false]);
    const again = await browsers.ensure({ ...session, reach: anywhere }, { lost: handle.epoch, signal });
    assert.equal((await act(session.id, again, { action: 'navigate', url: site })).type, 'acted');
  });

  it('give the result of a command to the next driver, and nothing for a command that never came', async () => {
    const session = await opening();
    const handle = await browsers.ensure({ ...session, reach: anywhere }, { signal });
    const commandId = newId();
    await act(session.id, handle, { action: 'navigate', url: site }, commandId);
    const fence = await runtime.store.transaction((tx) => runtime.store.browsers.fence(tx, session.id));
    const now = await browsers.ensure({ ...session, reach: anywhere }, { signal });
    assert.equal(now.epoch, fence?.epoch);
    await browsers.tellNewDriver(session.id, handle);
    const late = await act(session.id, handle, { action: 'reload' });
    assert.ok(late.type === 'lost' && !late.mayHaveActed, 'who drove before no longer does');
    assert.equal((await browsers.answerOf(session.id, now, commandId))?.type, 'acted');
    assert.equal(await browsers.answerOf(session.id, now, newId()), undefined);
  });

  it('leave a host that is about to end, between two steps, as soon as another has room', async (t) => {
    const session = { ...(await opening()), reach: anywhere };
    const first = await browsers.ensure(session, { signal });
    await act(session.id, first, { action: 'navigate', url: `${site}/left` });
    t.after(() => host.say({}));
    await host.say({ capacity: 0 });
    assert.deepEqual(await browsers.ensure(session, { mayMove: true, signal }), first, 'it may finish where it is');
    await host.say({ capacity: 0, is_leaving: true });
    assert.deepEqual(await browsers.ensure(session, { mayMove: true, signal }), first, 'no other host has room');
    const second = await runtime.addHost('p2');
    t.after(second.close);
    assert.deepEqual(await browsers.ensure(session, { signal }), first, 'something is under way in it');
    const moved = await browsers.ensure(session, { mayMove: true, signal });
    assert.equal(moved.hostId, 'p2');
    assert.equal((await browsers.look(session.id, moved)).url, `${site}/left`);
    assert.ok(!host.host.status().sessions.some(({ session_id }) => session_id === session.id));
    const other = await browsers.ensure({ ...(await opening()), reach: anywhere }, { signal });
    assert.equal(other.hostId, 'p2', 'no other is opened there');
  });

  it('stay at a host that is about to end where others were given the room elsewhere', async (t) => {
    const sessions = await Promise.all([1, 2, 3].map(async () => ({ ...(await opening()), reach: anywhere })));
    const before = await Promise.all(sessions.map((session) => browsers.ensure(session, { signal })));
    t.after(() => host.say({}));
    await host.say({ capacity: 0, is_leaving: true });
    const second = await runtime.addHost('p2');
    t.after(second.close);
    await second.say({ capacity: 1 });
    for (let round = 0; round < 2; round += 1) {
      const after = await Promise.all(sessions.map((session) => browsers.ensure(session, { mayMove: true, signal })));
      const moved = after.filter(({ hostId }) => hostId === 'p2');
      assert.equal(moved.length, 1);
      for (const [i, handle] of after.entries()) if (handle.hostId === 'p1') assert.deepEqual(handle, before[i]);
    }
  });

  it('are opened elsewhere when a host says it is full although it claims room, and no other browser is closed for it', async () => {
    const { store } = runtime;
    const resting = { ...(await opening()), reach: anywhere };
    const held = await browsers.ensure(resting, { signal });
    const liar = await runtime.connectAs('p2');
    const bootId = randomUUID();
    let asked = 0;
    const full = { ok: false, failure: 'full', message: 'full', has_touched: false } as const;
    const responder = liar.respond(hostCommand, { host_id: 'p2' }, () => {
      asked += 1;
      return full;
    });
    try {
      await responder.ready({ timeoutMs: 5000 });
      const claim = { hostId: 'p2', bootId, capacity: 10_000, sessions: [], leaseMs: 60_000, maxSessions: 8 };
      await store.hosts.renew(claim);
      for (let i = 0; i < 3; i += 1) {
        const handle = await browsers.ensure({ ...(await opening()), reach: anywhere }, { signal });
        assert.equal(handle.hostId, 'p1');
      }
      assert.ok(asked > 0 && asked < 3, `the liar was asked ${asked} times`);
      assert.ok(await browsers.holds(resting.id, held), 'the browser of another session is still open');
      const room = (await store.hosts.list()).find(({ id }) => id === 'p2');
      assert.deepEqual([room?.claimed, room?.allowed], [10_000, 8]);
    } finally {
      await responder.close();
      await liar.close();
    }
  });
});
