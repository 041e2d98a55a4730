import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createThrottle } from './throttle.ts';

const pieces = (count: number, bytes: number) =>
  Readable.from(Array.from({ length: count }, (_, index) => Buffer.alloc(bytes, index)));

describe('bytes through the guard', () => {
  it('arrive complete and in order, followed by the end of the stream, also where the reader is slow', async () => {
    const to = new PassThrough({ highWaterMark: 100 });
    createThrottle({ burstBytes: 1e9, bytesPerSec: 1e9 })(pieces(50, 64), to);
    const read: Buffer[] = [];
    for await (const piece of to) read.push(piece);
    assert.deepEqual(
      Buffer.concat(read),
      Buffer.concat(Array.from({ length: 50 }, (_, index) => Buffer.alloc(64, index))),
    );
  });

  it('are slowed down after a burst, which all connections share', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let nowMs = 0;
    let slowed = 0;
    const onSlowed = () => {
      slowed += 1;
    };
    const passOn = createThrottle({ burstBytes: 10_000, bytesPerSec: 100_000, onSlowed }, () => nowMs);
    let isOver = false;
    const passed = Array.from({ length: 2 }, async () => {
      const to = new PassThrough();
      passOn(pieces(20, 1000), to);
      for await (const _ of to);
    });
    const all = Promise.all(passed).then(() => {
      isOver = true;
    });
    // Each piece takes a turn of the loop, and time goes on only when no more pieces come.
    const settle = async () => {
      for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    };
    await settle();
    while (!isOver && nowMs < 1000) {
      nowMs += 10;
      t.mock.timers.tick(10);
      await settle();
    }
    await all;
    // 30,000 beyond the burst; after the last piece of each none waits any more.
    assert.ok(nowMs >= 280 && nowMs <= 300, `${nowMs} ms`);
    assert.ok(slowed > 0);
  });

  it('that come now and then are not', async (t) => {
    // Time stands still, so whatever waits for it does not come.
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const to = new PassThrough();
    const onSlowed = () => assert.fail('that is not much');
    createThrottle({ burstBytes: 100_000, bytesPerSec: 1000, onSlowed }, () => 0)(pieces(90, 1000), to);
    let bytes = 0;
    for await (const piece of to) bytes += piece.length;
    assert.equal(bytes, 90_000);
  });
});
