import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { z } from 'zod';
import { startBusProxy } from '../../../../testkit/bus-proxy.ts';
import { sampleFrame } from '../../testing/frame.ts';
import { type NatsForTest, startNats } from '../../testing/nats.ts';
import { until } from '../../testing/wait.ts';
import { encodeFrame, type Frame, frame } from '../messages/frames.ts';
import { eventWakeup } from '../messages/wake-ups.ts';
import { json } from '../wire/codec.ts';
import { defineMessage } from '../wire/define.ts';
import type { Problem } from '../wire/problem.ts';
import { type Bus, connectBus } from './connect.ts';

const maxPayloadBytes = 8 * 1024 * 1024;
const to = { host_id: 'h1', session_id: 's1' };
const problems: Problem[] = [];
let nats: NatsForTest;
let host: Bus;
let server: Bus;

before(async () => {
  nats = await startNats({ hosts: ['h1'] });
  host = await connectBus(nats.as({ host: 'h1' }));
  server = await connectBus({ ...nats.as('server'), onProblem: (problem) => problems.push(problem) });
});
after(async () => {
  await Promise.all([host?.close(), server?.close()]);
  await nats?.close();
});

test('a frame of more than a megabyte arrives byte for byte', async () => {
  const got: Frame[] = [];
  const subscription = server.subscribe(frame, { session_id: 's1' }, (message, from) => {
    assert.deepEqual(from, to);
    got.push(message);
  });
  await subscription.ready({ timeoutMs: 1000 });
  const sent = [1, 2, 3].map((seq) => sampleFrame({ seq, imageBytes: 1_500_000 }));
  for (const one of sent) assert.deepEqual(host.publish(frame, to, one), { ok: true });
  await until(() => got.length === sent.length);
  subscription.close();
  for (const [index, one] of sent.entries()) {
    assert.deepEqual(got[index]?.header, one.header);
    assert.ok(Buffer.from(one.image).equals(got[index]?.image ?? Buffer.alloc(0)));
  }
});

test('a message of exactly the limit passes; one byte more is refused here, and the connection lives on', async () => {
  let bytes = 0;
  const subscription = server.subscribe(frame, { session_id: 's1' }, ({ image }) => {
    bytes = image.length;
  });
  await subscription.ready({ timeoutMs: 1000 });
  const headBytes = encodeFrame(sampleFrame({ imageBytes: 1 })).length - 1;
  const most = maxPayloadBytes - headBytes;
  assert.deepEqual(host.publish(frame, to, sampleFrame({ imageBytes: most + 1 })), { ok: false, reason: 'too_large' });
  assert.deepEqual(host.publish(frame, to, sampleFrame({ imageBytes: most })), { ok: true });
  await until(() => bytes === most);
  subscription.close();
  assert.ok(host.isConnected());
});

test('a slow consumer gets fewer frames, one at a time, and always the last', async () => {
  const begun: number[] = [];
  const seen: number[] = [];
  let goOn = () => {};
  const subscription = server.subscribeNewest(frame, { session_id: 's1' }, async ({ header }) => {
    begun.push(header.seq);
    const { promise, resolve } = Promise.withResolvers<void>();
    goOn = resolve;
    await promise;
    seen.push(header.seq);
  });
  await subscription.ready({ timeoutMs: 1000 });
  const [last, burst] = [200, 40];
  for (let seq = 1; seq <= last; seq += 1) {
    host.publish(frame, to, sampleFrame({ seq, imageBytes: 60_000 }));
    if (seq % burst > 0) continue;
    await until(() => subscription.counts().received === seq);
    assert.equal(begun.length, seen.length + 1, 'one at a time');
    goOn();
    // The newest of the burst is next.
    await until(() => begun.at(-1) === seq);
  }
  goOn();
  await until(() => seen.at(-1) === last);
  const { received, skipped, dropped } = subscription.counts();
  subscription.close();
  assert.deepEqual(seen, [1, 40, 80, 120, 160, 200]);
  assert.deepEqual({ received, skipped, dropped }, { received: last, skipped: last - seen.length, dropped: 0 });
});

test('a publisher of the newest sends the last of a burst without piling up the rest', async () => {
  const seen: number[] = [];
  const subscription = server.subscribe(frame, { session_id: 's1' }, ({ header }) => {
    seen.push(header.seq);
  });
  await subscription.ready({ timeoutMs: 1000 });
  const publisher = host.publishNewest(frame, to);
  for (let seq = 1; seq <= 100; seq += 1) publisher.put(sampleFrame({ seq }));
  await until(() => seen.at(-1) === 100);
  subscription.close();
  assert.deepEqual(seen, [1, 100]);
  assert.deepEqual(publisher.counts(), { sent: 2, failed: 0, skipped: 98 });
});

test('what a publisher was given last while its connection was away is sent when it is back', async () => {
  await using all = new AsyncDisposableStack();
  const proxy = all.adopt(await startBusProxy(), (one) => one.close());
  const signIn = { ...nats.as({ host: 'h1' }), servers: proxy.to(nats.url) };
  const cutOff = all.adopt(await connectBus(signIn), (one) => one.close({ timeoutMs: 200 }));
  const seen: number[] = [];
  const subscription = server.subscribe(frame, { session_id: 's1' }, ({ header }) => {
    seen.push(header.seq);
  });
  await subscription.ready({ timeoutMs: 1000 });
  const publisher = cutOff.publishNewest(frame, to);
  publisher.put(sampleFrame({ seq: 1 }));
  await until(() => seen.at(-1) === 1);
  let timesBack = 0;
  cutOff.onBack(() => {
    timesBack += 1;
  });
  const cut = proxy.cut(400);
  await until(() => !cutOff.isConnected());
  for (const seq of [2, 3]) publisher.put(sampleFrame({ seq }));
  await cut;
  await until(() => seen.at(-1) === 3, 5000);
  // One for control, one for frames.
  await until(() => timesBack === 2, 5000);
  subscription.close();
  publisher.close();
});

test('a message of the wrong shape or origin is dropped and counted, and the next one is heard', async () => {
  const seqs: number[] = [];
  const subscription = server.subscribe(eventWakeup, { session_id: 's1' }, ({ seq }) => {
    seqs.push(seq);
  });
  await subscription.ready({ timeoutMs: 1000 });
  const anything = defineMessage({ ...eventWakeup, body: json(z.unknown()), claims: undefined });
  server.publish(anything, { session_id: 's1' }, { session_id: 's1', seq: -1 });
  server.publish(anything, { session_id: 's1' }, 'nonsense');
  server.publish(anything, { session_id: 's1' }, { session_id: 's2', seq: 6 });
  server.publish(eventWakeup, { session_id: 's1' }, { session_id: 's1', seq: 7 });
  await until(() => seqs.length > 0);
  assert.deepEqual(seqs, [7]);
  assert.deepEqual(subscription.counts(), { received: 4, dropped: 3 });
  assert.equal(problems.filter(({ kind }) => kind === 'bad_message').length, 3);
  subscription.close();
});

test('a consumer that throws, at once or later, harms neither the next message nor the connection', async () => {
  const seqs: number[] = [];
  const subscription = server.subscribe(eventWakeup, { session_id: 's1' }, ({ seq }) => {
    seqs.push(seq);
    if (seq === 1) throw new Error('at once');
    if (seq === 2) return Promise.reject(new Error('later'));
  });
  await subscription.ready({ timeoutMs: 1000 });
  for (const seq of [1, 2, 3]) server.publish(eventWakeup, { session_id: 's1' }, { session_id: 's1', seq });
  await until(() => seqs.length === 3);
  assert.ok(await server.ping({ timeoutMs: 1000 }));
  assert.equal(problems.filter(({ kind }) => kind === 'handler_failed').length, 2);
  subscription.close();
});

test('after its signal a subscription hears nothing', async () => {
  let heard = 0;
  const controller = new AbortController();
  const subscription = server.subscribeNewest(
    eventWakeup,
    { session_id: 's1' },
    () => {
      heard += 1;
    },
    { signal: controller.signal },
  );
  await subscription.ready({ timeoutMs: 1000 });
  controller.abort();
  server.publish(eventWakeup, { session_id: 's1' }, { session_id: 's1', seq: 1 });
  assert.ok(await server.ping({ timeoutMs: 1000 }));
  assert.equal(heard, 0);
});
