import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { measureGuard } from './guard.ts';
import { measureLive } from './live.ts';

// So small that the figures say little; that there are any is what is tested.
describe('a small run', () => {
  it('of `live` sees every change, every last state and every press', async (test) => {
    const { change_to_frame_ms, press_to_frame_ms, last_state_shown } = await measureLive(3);
    test.diagnostic(JSON.stringify({ change: change_to_frame_ms.ratio, press: press_to_frame_ms.ratio }));
    for (const { ours, ratio } of [change_to_frame_ms, press_to_frame_ms]) {
      assert.equal(ours.count, 3);
      assert.ok(ratio > 0, `${ratio}`);
    }
    assert.equal(last_state_shown.ours, 3);
  });

  it('of `guard` measures each kind of request on both sides', async () => {
    const figures = Object.entries(await measureGuard(5));
    assert.equal(figures.length, 6);
    for (const [name, { ours, direct, ratio }] of figures) {
      assert.ok(ours.count > 0 && direct.count > 0 && ratio > 0, name);
    }
  });
});
