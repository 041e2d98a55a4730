import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { measureCrowd } from '../bench/streams/crowd.ts';
import { measureJoin } from '../bench/streams/join.ts';
import { measureWheel } from '../bench/wheel.ts';

// So small that the figures say little; that there are any is what is tested.
describe('a small run through a whole installation', () => {
  it('of `wheel` sees what came of every press', async (test) => {
    const { ours, ratio } = (await measureWheel(3)).press_to_frame_ms;
    test.diagnostic(JSON.stringify({ ratio }));
    assert.equal(ours.count, 3);
  });

  it('of `join` sees a picture each time', async () => {
    const { nobody_there_ms, somebody_there_ms } = await measureJoin(2);
    assert.deepEqual([nobody_there_ms.count, somebody_there_ms.count], [2, 2]);
  });

  it('of `crowd` sees frames, alone and among others', async () => {
    const { frames_per_second_each } = await measureCrowd({ viewers: 3, rounds: 1, roundMs: 3000 });
    assert.ok(frames_per_second_each.one > 0 && frames_per_second_each.many > 0);
  });
});
