import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { drain } from './drain.ts';

/** Batches by a clock of their own: how much each does, and how long it takes. After the last there is nothing to do. */
function batches(made: { count: number; tookMs: number }[]) {
  const left = [...made];
  const rests: number[] = [];
  let now = 0;
  return {
    left,
    rests,
    async next() {
      const { count, tookMs } = left.shift() ?? { count: 0, tookMs: 0 };
      now += tookMs;
      return count;
    },
    clock: {
      now: () => now,
      async rest(ms: number) {
        rests.push(ms);
        now += ms;
      },
    },
  };
}

describe('draining', () => {
  const open = new AbortController().signal;

  it('goes on until a batch has nothing to do, counts, and rests after each for twice its time', async () => {
    const { next, clock, rests } = batches([
      { count: 3, tookMs: 10 },
      { count: 5, tookMs: 70 },
      { count: 1, tookMs: 1 },
    ]);
    assert.equal(await drain(next, open, clock), 9);
    assert.deepEqual(rests, [20, 140, 2]);
  });

  it('rests for a second at most', async () => {
    const { next, clock, rests } = batches([{ count: 1, tookMs: 40_000 }]);
    assert.equal(await drain(next, open, clock), 1);
    assert.deepEqual(rests, [1000]);
  });

  it('ends in the middle of a rest where it is told to, and begins no other batch', async () => {
    const { next, clock, left } = batches([
      { count: 4, tookMs: 10 },
      { count: 4, tookMs: 10 },
    ]);
    const ending = new AbortController();
    const rest = (_ms: number, signal: AbortSignal) =>
      new Promise<void>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        ending.abort();
      });
    assert.equal(await drain(next, ending.signal, { ...clock, rest }), 4);
    assert.equal(left.length, 1);
  });

  it('leaves a failure to its caller', async () => {
    const failing = () => Promise.reject(new Error('no database'));
    await assert.rejects(drain(failing, open), /no database/);
  });
});
