import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EventStream, encodeEvent, openEventStream } from './event-stream.ts';

/** A stream, and the socket of the one who watches it. */
async function openOne(): Promise<{ stream: EventStream; viewer: Socket; close(): void }> {
  const opened = Promise.withResolvers<EventStream>();
  const server = createServer((_request, response) => opened.resolve(openEventStream(response, 'r1')));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const viewer = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
  viewer.on('error', () => {});
  viewer.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  const stream = await opened.promise;
  return {
    stream,
    viewer,
    close() {
      viewer.destroy();
      server.close();
      server.closeAllConnections();
    },
  };
}
const frame = (n: number, bytes: number) => encodeEvent({ type: 'frame', data: { n, fill: 'x'.repeat(bytes) } });
const namedFrame = (slot: string, n: number) =>
  encodeEvent({ type: 'frame', data: { slot, n, fill: 'x'.repeat(100_000) } });
const framesIn = (text: string) => [...text.matchAll(/"n":(\d+)/g)].map(([, n]) => Number(n));

describe('a stream of events', () => {
  it('always brings the last frame, however fast they come and however small they are', async () => {
    for (const bytes of [10, 1000, 60_000]) {
      const { stream, viewer, close } = await openOne();
      let text = '';
      viewer.on('data', (chunk) => {
        text += chunk;
      });
      for (let n = 0; n < 500; n++) {
        stream.offer(frame(n, bytes));
        if (n % 7 === 0) await sleep(0);
      }
      const end = performance.now() + 5000;
      while (framesIn(text).at(-1) !== 499 && performance.now() < end) await sleep(10);
      const seen = framesIn(text);
      assert.equal(seen.at(-1), 499, `${bytes} bytes`);
      assert.deepEqual(
        seen,
        seen.toSorted((a, b) => a - b),
      );
      close();
    }
  });

  it('holds one frame for a viewer that does not read, and cuts it when logged events pile up', async () => {
    const { stream, viewer, close } = await openOne();
    viewer.pause();
    for (let n = 0; n < 200; n++) stream.offer(frame(n, 100_000));
    await sleep(50);
    assert.equal(stream.isEnded(), false, 'frames alone cut nobody');
    for (let n = 0; n < 2000 && !stream.isEnded(); n++)
      stream.send({ id: String(n), type: 'log', data: { fill: 'x'.repeat(10_000) } });
    assert.equal(stream.isEnded(), true);
    close();
  });

  it('lets the frames of every slot have their turn, the newest of each', async (test) => {
    const { stream, viewer, close } = await openOne();
    test.after(close);
    viewer.pause();
    const slots = ['a', 'b', 'c'];
    for (let n = 0; n < 60; n++) for (const slot of slots) stream.offer(namedFrame(slot, n), slot);
    let text = '';
    viewer.on('data', (chunk) => {
      text += chunk;
    });
    viewer.resume();
    const lastOf = (slot: string) =>
      [...text.matchAll(/"slot":"(.)","n":(\d+)/g)].findLast(([, name]) => name === slot)?.[2];
    const end = performance.now() + 5000;
    while (slots.some((slot) => lastOf(slot) !== '59') && performance.now() < end) await sleep(10);
    assert.deepEqual(slots.map(lastOf), ['59', '59', '59']);
  });

  it('brings an event however large, and what follows it', async (test) => {
    const { stream, viewer, close } = await openOne();
    test.after(close);
    let text = '';
    viewer.on('data', (chunk) => {
      text += chunk;
    });
    const until = async (words: string) => {
      const end = performance.now() + 5000;
      while (!text.includes(words) && performance.now() < end) await sleep(10);
      assert.ok(text.includes(words), words);
    };
    stream.send({ id: '1', type: 'log', data: { fill: 'x'.repeat(4 * 1024 * 1024), n: 1 } });
    assert.equal(stream.isEnded(), false, 'not cut by its own event');
    await until('"n":1}');
    stream.send({ id: '2', type: 'log', data: { n: 2 } });
    await until('"n":2}');
  });

  it('is over when the viewer leaves', async () => {
    const { stream, viewer, close } = await openOne();
    viewer.destroy();
    const end = performance.now() + 3000;
    while (!stream.isEnded() && performance.now() < end) await sleep(10);
    assert.equal(stream.isEnded(), true);
    close();
  });
});
