import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Axis } from '../tasks/axis-model.ts';
import { changesOf, neighbourOf, playFrom } from './playback.ts';

const step = (index: number, from: number, to: number) => ({ index, stepId: `step-${index}`, title: '', from, to });
const axis: Axis = {
  from: 1000,
  to: 60_000,
  bands: [
    { kind: 'agent', from: 1000, to: 5000, step: 1 },
    { kind: 'you', from: 5000, to: 40_000 },
    { kind: 'agent', from: 40_000, to: 60_000, step: 2 },
  ],
  steps: [step(1, 1000, 5000), step(2, 5000, 60_000)],
  agentMs: 24_000,
  personMs: 35_000,
};

describe('playback', () => {
  const changes = changesOf(axis, [500, 2000, 41_000, 58_000]);

  it('knows when something changes', () => {
    assert.deepEqual(changes, [1000, 2000, 5000, 40_000, 41_000, 58_000, 60_000]);
  });

  it('goes on at its speed, and skips where nothing changes for more than three seconds', () => {
    assert.equal(playFrom(2000, 100, 1, changes, axis.to), 2100);
    assert.equal(playFrom(2000, 100, 4, changes, axis.to), 2400);
    assert.equal(playFrom(5000, 100, 1, changes, axis.to), 40_000);
    assert.equal(playFrom(59_900, 100, 4, changes, axis.to), axis.to);
  });

  it('reaches the end from the begin', () => {
    let at = axis.from;
    for (let count = 0; at < axis.to; count += 1) {
      assert.ok(count < 200, 'it stands still');
      at = playFrom(at, 100, 4, changes, axis.to);
    }
  });

  it('goes from step to step', () => {
    assert.deepEqual([neighbourOf(axis, 5000, -1), neighbourOf(axis, 5000, 1)], [undefined, 60_000]);
    assert.equal(neighbourOf(axis, 30_000, -1), 5000);
    const without = { ...axis, steps: [] };
    assert.equal(neighbourOf(without, 6000, 1), 40_000);
  });
});
