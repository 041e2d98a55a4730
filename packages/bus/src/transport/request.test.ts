import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { z } from 'zod';
import { type NatsForTest, startNats } from '../../testing/nats.ts';
import { until } from '../../testing/wait.ts';
import { heartbeat } from '../messages/heartbeat.ts';
import { json } from '../wire/codec.ts';
import { defineRequest } from '../wire/define.ts';
import type { Problem } from '../wire/problem.ts';
import { queues, subjects } from '../wire/subjects.ts';
import { type Bus, connectBus } from './connect.ts';

const echo = defineRequest({
  name: 'echo',
  subject: subjects.sessionCommand,
  askers: () => ['server', 'agent'],
  request: json(z.object({ text: z.string() })),
  reply: json(z.object({ text: z.string() })),
});
// The same subject with looser shapes, to send what an honest program would not.
const wrongRequest = defineRequest({ ...echo, request: json(z.unknown()), claims: undefined });
const wrongReply = defineRequest({ ...echo, reply: json(z.unknown()) });

const problems: Problem[] = [];
let nats: NatsForTest;
let host: Bus;
let agent: Bus;
let sessions = 0;
/** Answers nothing until the request is given up. */
const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
const freshSession = () => ({ host_id: 'h1', session_id: `s${++sessions}` });

before(async () => {
  nats = await startNats({ hosts: ['h1', 'h2'] });
  host = await connectBus({ ...nats.as({ host: 'h1' }), onProblem: (problem) => problems.push(problem) });
  agent = await connectBus({ ...nats.as('agent'), onProblem: (problem) => problems.push(problem) });
});
after(async () => {
  await Promise.all([host?.close(), agent?.close()]);
  await nats?.close();
});

test('a request reaches its responder, and the reply comes back', async () => {
  const to = freshSession();
  const responder = host.respond(echo, to, ({ text }, { from }) => ({ text: `${from.session_id}: ${text}` }));
  await responder.ready({ timeoutMs: 1000 });
  const result = await agent.request(echo, to, { text: 'ahoy' }, { timeoutMs: 1000 });
  assert.deepEqual(result, { ok: true, reply: { text: `${to.session_id}: ahoy` } });
});

test('without a responder, the result is "no responders", and not a timeout', async () => {
  const result = await agent.request(echo, freshSession(), { text: '' }, { timeoutMs: 5000 });
  assert.deepEqual(result, { ok: false, reason: 'no_responders', mayHaveActed: false });
});

test('a closed responder is no responder', async () => {
  const to = freshSession();
  const responder = host.respond(echo, to, (message) => message);
  await responder.ready({ timeoutMs: 1000 });
  await responder.close();
  const result = await agent.request(echo, to, { text: '' }, { timeoutMs: 1000 });
  assert.equal(!result.ok && result.reason, 'no_responders');
});

test('a slow answer is a timeout, which says that it may have happened; the handler learns of it', async () => {
  const to = freshSession();
  let signal: AbortSignal | undefined;
  const responder = host.respond(echo, to, (_, asked) => {
    signal = asked.signal;
    return untilAborted(signal);
  });
  await responder.ready({ timeoutMs: 1000 });
  const result = await agent.request(echo, to, { text: '' }, { timeoutMs: 100 });
  assert.deepEqual(result, { ok: false, reason: 'timeout', mayHaveActed: true });
  await until(() => signal?.aborted === true);
});

test('a request can be given up before and while it waits', async () => {
  const to = freshSession();
  const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>();
  const responder = host.respond(echo, to, (_, { signal }) => {
    asked();
    return untilAborted(signal);
  });
  await responder.ready({ timeoutMs: 1000 });
  const controller = new AbortController();
  const waiting = agent.request(echo, to, { text: '' }, { timeoutMs: 5000, signal: controller.signal });
  await isAsked;
  controller.abort();
  assert.deepEqual(await waiting, { ok: false, reason: 'aborted', mayHaveActed: true });
  const late = await agent.request(echo, to, { text: '' }, { timeoutMs: 5000, signal: controller.signal });
  assert.deepEqual(late, { ok: false, reason: 'aborted', mayHaveActed: false });
});

test('a request of the wrong shape is refused without reaching the handler', async () => {
  const to = freshSession();
  let calls = 0;
  const responder = host.respond(echo, to, (message) => {
    calls += 1;
    return message;
  });
  await responder.ready({ timeoutMs: 1000 });
  const result = await agent.request(wrongRequest, to, { text: 7 }, { timeoutMs: 1000 });
  assert.ok(!result.ok && result.reason === 'refused');
  assert.equal(result.refusal, 'bad_request');
  assert.match(result.detail, /^text: /);
  assert.equal(result.mayHaveActed, false);
  assert.equal(calls, 0);
});

test('a reply of the wrong shape is a bad reply', async () => {
  const to = freshSession();
  const responder = host.respond(wrongReply, to, () => ({ text: 7 }));
  await responder.ready({ timeoutMs: 1000 });
  const result = await agent.request(echo, to, { text: '' }, { timeoutMs: 1000 });
  assert.deepEqual(result, { ok: false, reason: 'bad_reply', mayHaveActed: true });
});

test('a handler that throws refuses the request, and its message is not sent', async () => {
  const to = freshSession();
  const responder = host.respond(echo, to, () => {
    throw new Error('the secret is 42');
  });
  await responder.ready({ timeoutMs: 1000 });
  const result = await agent.request(echo, to, { text: '' }, { timeoutMs: 1000 });
  assert.deepEqual(result, { ok: false, reason: 'refused', refusal: 'failed', detail: '', mayHaveActed: true });
  assert.ok(problems.some((problem) => problem.kind === 'handler_failed' && /42/.test(String(problem.error))));
});

test('a request or a reply above the limit is a typed failure, and the connection lives on', async () => {
  const to = freshSession();
  const responder = host.respond(echo, to, ({ text }) => ({ text: text === 'big' ? 'x'.repeat(9_000_000) : text }));
  await responder.ready({ timeoutMs: 1000 });
  const tooLarge = await agent.request(echo, to, { text: 'x'.repeat(9_000_000) }, { timeoutMs: 2000 });
  assert.deepEqual(tooLarge, { ok: false, reason: 'too_large', mayHaveActed: false });
  const reply = await agent.request(echo, to, { text: 'big' }, { timeoutMs: 2000 });
  assert.ok(!reply.ok && reply.reason === 'refused' && reply.refusal === 'too_large' && reply.mayHaveActed);
  const nearly = 'x'.repeat(8 * 1024 * 1024 - 200);
  const fits = await agent.request(echo, to, { text: nearly }, { timeoutMs: 5000 });
  assert.ok(fits.ok && fits.reply.text === nearly);
});

test('a wait without end is refused: the server would no longer let the answer through', async () => {
  for (const timeoutMs of [0, -1, 30_001, Number.NaN, Number.POSITIVE_INFINITY]) {
    await assert.rejects(agent.request(echo, freshSession(), { text: '' }, { timeoutMs }), RangeError);
  }
});

test('a heartbeat is answered by one agent of the group', async (t) => {
  const second = await connectBus(nats.as('agent'));
  t.after(() => second.close());
  let answers = 0;
  for (const bus of [agent, second]) {
    const responder = bus.respond(
      heartbeat,
      {},
      () => {
        answers += 1;
        return { lease_ms: 15_000 };
      },
      { queue: queues.heartbeat },
    );
    await responder.ready({ timeoutMs: 1000 });
  }
  const beat = {
    host_id: 'h1',
    boot_id: 'b0a1c1de-0000-4000-8000-000000000001',
    sessions: [{ session_id: 's1', epoch: 3 }],
    capacity: 8,
  };
  const result = await host.request(heartbeat, { host_id: 'h1' }, beat, { timeoutMs: 1000 });
  assert.deepEqual(result, { ok: true, reply: { lease_ms: 15_000, opened_elsewhere: [] } });
  // What NATS sent to either of them before is delivered by then.
  await Promise.all([agent, second].map((bus) => bus.ping({ timeoutMs: 1000 })));
  assert.equal(answers, 1);

  const liar = await host.request(heartbeat, { host_id: 'h1' }, { ...beat, host_id: 'h2' }, { timeoutMs: 1000 });
  assert.ok(!liar.ok && liar.reason === 'refused' && liar.refusal === 'bad_request');
  assert.equal(answers, 1);
});

test('closing lets the answer in hand go out first', async () => {
  const other = await connectBus(nats.as({ host: 'h2' }));
  const to = { host_id: 'h2', session_id: 's1' };
  const [asked, mayAnswer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const responder = other.respond(echo, to, async (message) => {
    if (message.text !== 'last words') return message;
    asked.resolve();
    await mayAnswer.promise;
    return message;
  });
  await responder.ready({ timeoutMs: 1000 });
  const waiting = agent.request(echo, to, { text: 'last words' }, { timeoutMs: 10_000 });
  await asked.promise;
  const closing = other.close({ timeoutMs: 10_000 });
  await until(async () => {
    const result = await agent.request(echo, to, { text: 'one more' }, { timeoutMs: 1000 });
    return !result.ok && result.reason === 'no_responders';
  });
  mayAnswer.resolve();
  await closing;
  assert.deepEqual(await waiting, { ok: true, reply: { text: 'last words' } });
});
