import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { createPassOn } from './pass-on.ts';

const pieces = (count: number, bytes: number) =>
  Readable.from(Array.from({ length: count }, (_, index) => Buffer.alloc(bytes, index)));

describe('bytes through the guard', () => {
  it('arrive whole and in order, and the end with them, also where whoever reads them is slow', async () => {
    const to = new PassThrough({ highWaterMark: 100 });
    createPassOn({ burstBytes: 1e9, bytesPerSec: 1e9 })(pieces(50, 64), to);
    const read: Buffer[] = [];
    for await (const piece of to) read.push(piece);
    assert.deepEqual(
      Buffer.concat(read),
      Buffer.concat(Array.from({ length: 50 }, (_, index) => Buffer.alloc(64, index))),
    );
  });

  it('are slowed down after a burst, all that pass together', async () => {
    let slowed = 0;
    const onSlowed = () => {
      slowed += 1;
    };
    const passOn = createPassOn({ burstBytes: 10_000, bytesPerSec: 100_000, onSlowed });
    const begun = performance.now();
    const passed = Array.from({ length: 2 }, async () => {
      const to = new PassThrough();
      passOn(pieces(20, 1000), to);
      for await (const _ of to);
    });
    await Promise.all(passed);
    const took = performance.now() - begun;
    // 30,000 beyond the burst.
    assert.ok(took > 200, `${took} ms`);
    assert.ok(slowed > 0);
  });

  it('that come now and then are not', async () => {
    const to = new PassThrough();
    const begun = performance.now();
    const onSlowed = () => assert.fail('that is not much');
    createPassOn({ burstBytes: 100_000, bytesPerSec: 1000, onSlowed })(pieces(90, 1000), to);
    for await (const _ of to);
    assert.ok(performance.now() - begun < 1000);
  });
});
