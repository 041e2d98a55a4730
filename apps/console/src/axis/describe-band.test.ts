import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Axis, Band } from '../tasks/axis-model.ts';
import { describeBand, ticksOf } from './describe-band.ts';

const bands: Band[] = [
  { kind: 'agent', from: 0, to: 10_000, step: 1 },
  { kind: 'waiting', from: 10_000, to: 20_000 },
  { kind: 'you', from: 20_000, to: 50_000 },
  { kind: 'agent', from: 50_000, to: 70_000, step: 2 },
  { kind: 'failed', from: 70_000, to: 75_000, step: 3 },
  { kind: 'agent', from: 75_000, to: 99_500, step: 3 },
  { kind: 'agent', from: 99_500, to: 100_000, step: 4 },
];
const steps = [{ index: 1, stepId: 'step-1', title: 'Open the shop', from: 0, to: 10_000 }];
const axis: Axis = { from: 0, to: 100_000, bands, steps, agentMs: 0, personMs: 0 };

it('writes a number once a step, and the person, where there is room', () => {
  assert.deepEqual(
    ticksOf(axis).map(({ text, middle, end }) => [text, middle, end]),
    [
      ['1', 5000, 10_000],
      ['you', 35_000, 35_000],
      ['2', 60_000, 70_000],
      ['3', 87_250, 99_500],
      ['4', 99_750, 100_000],
    ],
  );
  const crowded = {
    ...axis,
    bands: Array.from(
      { length: 500 },
      (_, index) => ({ ...bands[0], from: index, to: index + 1, step: index }) as Band,
    ),
    to: 500,
  };
  assert.ok(ticksOf(crowded).length < 50);
});

it('says what a band is', () => {
  const said = bands.map((band) => describeBand(axis, band));
  assert.deepEqual(said.slice(0, 5), [
    '1 · Open the shop',
    'Waited for a person',
    'You drove',
    'Step 2',
    'A try that failed',
  ]);
});
