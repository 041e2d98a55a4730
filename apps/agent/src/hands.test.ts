import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { hostCommand } from '@pilothouse/bus';
import type { Step } from '@pilothouse/contract';
import { newId } from '@pilothouse/store';
import { type Runtime, startRuntime } from '../testing/runtime.ts';
import { createHands, type Grip, type Hands } from './hands.ts';

const signal = new AbortController().signal;
const anywhere = { allow: null, deny: [] };

describe('the hands of an agent', () => {
  let runtime: Runtime;
  let host: Awaited<ReturnType<Runtime['addHost']>>;
  let hands: Hands;
  let server: Server;
  let site: string;
  before(async () => {
    server = createServer((_, response) => {
      // A title that a database does not hold, and a text that it does not either.
      const script = `<script>document.title = 'half \\ud83d'; document.body.append('nul \\0')</script>`;
      response.setHeader('content-type', 'text/html').end(`<body><h1>Here</h1>${script}`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    runtime = await startRuntime({ hosts: ['p1'] });
    host = await runtime.addHost('p1');
    hands = createHands(runtime);
  });
  after(async () => {
    await host?.close();
    await runtime?.close();
    server?.closeAllConnections();
    server?.close();
  });

  const opening = async () => ({ id: await runtime.newSession(), viewport: { width: 800, height: 600 } });
  const act = (sessionId: string, grip: Grip, step: Step, commandId = newId()) =>
    hands.act(sessionId, grip, { step, commandId, deadlineMs: 8000, signal });

  it('open a browser anew, as it was, for a task that may reach something else', async () => {
    const session = await opening();
    const first = await hands.ensure({ ...session, reach: anywhere }, { signal });
    assert.equal((await act(session.id, first, { action: 'navigate', url: site })).type, 'acted');
    assert.deepEqual(await hands.ensure({ ...session, reach: anywhere }, { signal }), first);
    const reach = { allow: ['127.0.0.1'], deny: [] };
    const second = await hands.ensure({ ...session, reach }, { signal });
    assert.ok(second.epoch > first.epoch);
    assert.equal((await hands.left(session.id, second)).url, `${site}/`);
    assert.deepEqual(await hands.ensure({ ...session, reach }, { signal }), second);
  });

  it('bring only words that can be kept', async () => {
    const session = await opening();
    const grip = await hands.ensure({ ...session, reach: anywhere }, { signal });
    await act(session.id, grip, { action: 'navigate', url: site });
    const read = await act(session.id, grip, { action: 'extract', kind: 'text', as: 'all' });
    assert.ok(read.type === 'acted');
    const said = JSON.stringify([read.acted.after.title, read.acted.data, read.acted.picture]);
    assert.match(said, /half/);
    assert.ok(!said.includes('\\ud83d') && !said.includes('\\u0000'), said);
  });

  it('find a browser lost that its host has ended without a word, however alive the host is', async () => {
    const session = await opening();
    const grip = await hands.ensure({ ...session, reach: anywhere }, { signal });
    const closed = await runtime.bus.request(
      hostCommand,
      { host_id: grip.hostId },
      { type: 'close', session_id: session.id, epoch: grip.epoch },
      { timeoutMs: 10_000 },
    );
    assert.ok(closed.ok && closed.reply.ok);
    assert.ok(await hands.holds(session.id, grip), 'the database knows nothing of it');
    const outcome = await act(session.id, grip, { action: 'navigate', url: site });
    assert.ok(outcome.type === 'lost');
    assert.deepEqual([outcome.mayHaveActed, outcome.isUnheard], [false, false]);
    const again = await hands.ensure({ ...session, reach: anywhere }, { lost: grip.epoch, signal });
    assert.equal((await act(session.id, again, { action: 'navigate', url: site })).type, 'acted');
  });

  it('learn what came of a command from whoever has the browser now, and nothing of one that never came', async () => {
    const session = await opening();
    const grip = await hands.ensure({ ...session, reach: anywhere }, { signal });
    const commandId = newId();
    await act(session.id, grip, { action: 'navigate', url: site }, commandId);
    const fence = await runtime.store.transaction((tx) => runtime.store.browsers.fence(tx, session.id));
    const now = await hands.ensure({ ...session, reach: anywhere }, { signal });
    assert.equal(now.epoch, fence?.epoch);
    await hands.cut(session.id, grip);
    const late = await act(session.id, grip, { action: 'reload' });
    assert.ok(late.type === 'lost' && !late.mayHaveActed, 'who drove before no longer does');
    assert.equal((await hands.answerOf(session.id, now, commandId))?.type, 'acted');
    assert.equal(await hands.answerOf(session.id, now, newId()), undefined);
  });
});
