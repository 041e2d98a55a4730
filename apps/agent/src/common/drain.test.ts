import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { drain } from './drain.ts';

const batchMs = 20;

/** Batches that take a while each; the last has nothing to do. */
function batches(counts: number[]) {
  const left = [...counts];
  const begun: number[] = [];
  const ended: number[] = [];
  return {
    begun,
    rests: () => begun.slice(1).map((at, index) => at - (ended[index] ?? Number.NaN)),
    async next() {
      begun.push(performance.now());
      await sleep(batchMs);
      ended.push(performance.now());
      return left.shift() ?? 0;
    },
  };
}

describe('draining', () => {
  const open = new AbortController().signal;

  it('goes on until a batch has nothing to do, and counts', async () => {
    const made = batches([3, 5, 1]);
    assert.equal(await drain(made.next, open), 9);
    assert.equal(made.begun.length, 4);
  });

  it('rests after each batch for longer than it took', async () => {
    const made = batches([1, 1, 1]);
    await drain(made.next, open);
    for (const rest of made.rests()) assert.ok(rest >= batchMs, `${rest}`);
  });

  it('ends in a rest where it is told to', async () => {
    const ending = new AbortController();
    const made = batches([1, 1, 1]);
    const done = drain(async () => {
      const count = await made.next();
      ending.abort();
      return count;
    }, ending.signal);
    assert.equal(await done, 1);
    assert.equal(made.begun.length, 1);
  });

  it('leaves a failure to its caller', async () => {
    await assert.rejects(
      drain(() => Promise.reject(new Error('no database')), open),
      /no database/,
    );
  });
});
