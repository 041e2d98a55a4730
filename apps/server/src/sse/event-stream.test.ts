import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createLog } from '@pilothouse/process';
import { Registry } from 'prom-client';
import { until } from '../../../../testkit/until.ts';
import { createUnsent } from '../delivery/unsent.ts';
import { type EventStream, encodeEvent, openEventStream } from './event-stream.ts';

/** A stream, and the socket of its viewer. */
async function openOne(): Promise<{ stream: EventStream; viewer: Socket; close(): void }> {
  const opened = Promise.withResolvers<EventStream>();
  const bounds = { perUserBytes: 1e9, perAddressBytes: 1e9 };
  const unsent = createUnsent({ ...bounds, log: createLog('test', 'silent'), metrics: new Registry() });
  const server = createServer((_request, response) => {
    const counted = unsent.of(response, { ip: '127.0.0.1' });
    opened.resolve(openEventStream(response, { requestId: 'r1', counted }));
  });
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
      unsent.close();
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
  it('always sends the last frame, also if frames are fast and small', async () => {
    for (const bytes of [10, 1000, 60_000]) {
      const { stream, viewer, close } = await openOne();
      let text = '';
      viewer.on('data', (chunk) => {
        text += chunk;
      });
      for (let n = 0; n < 500; n++) {
        stream.offer(frame(n, bytes));
        if (n % 7 === 0) await nextTurn();
      }
      await until(() => framesIn(text).at(-1) === 499, 5000);
      const seen = framesIn(text);
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
    for (let n = 0; n < 200; n++) {
      stream.offer(frame(n, 100_000));
      // What was written until now is handed to the kernel, or waits for the viewer.
      await nextTurn();
    }
    assert.equal(stream.isEnded(), false, 'frames alone do not cut a viewer');
    for (let n = 0; n < 2000 && !stream.isEnded(); n++)
      stream.send({ id: String(n), type: 'log', data: { fill: 'x'.repeat(10_000) } });
    assert.equal(stream.isEnded(), true);
    close();
  });

  it('sends the newest frame of each slot in turn', async (test) => {
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
    await until(() => slots.every((slot) => lastOf(slot) === '59'), 5000);
  });

  it('sends a large event and the events after it', async (test) => {
    const { stream, viewer, close } = await openOne();
    test.after(close);
    let text = '';
    viewer.on('data', (chunk) => {
      text += chunk;
    });
    stream.send({ id: '1', type: 'log', data: { fill: 'x'.repeat(4 * 1024 * 1024), n: 1 } });
    assert.equal(stream.isEnded(), false, 'not cut by its own event');
    await until(() => text.includes('"n":1}'), 5000);
    stream.send({ id: '2', type: 'log', data: { n: 2 } });
    await until(() => text.includes('"n":2}'), 5000);
  });

  it('is over when the viewer leaves', async () => {
    const { stream, viewer, close } = await openOne();
    viewer.destroy();
    await until(() => stream.isEnded(), 3000);
    close();
  });
});
