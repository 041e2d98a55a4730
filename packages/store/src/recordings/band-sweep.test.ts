import assert from 'node:assert/strict';
import { it } from 'node:test';
import { bandsOf, type Span } from './band-sweep.ts';

const at = (secs: number) => new Date(1_000_000 + secs * 1000);
const span = (kind: Span['kind'], from: number, to: number | null, stepIndex: number | null = null): Span => ({
  kind,
  begin: at(from),
  until: to === null ? null : at(to),
  taskId: 't',
  stepIndex,
  holderId: kind === 'person' ? 'p' : null,
});
const bands = (spans: Span[], from: number, to: number) =>
  bandsOf(spans, { begin: at(from), end: at(to) }).map((band) => [
    band.kind,
    (band.from.getTime() - 1_000_000) / 1000,
    ((band.to?.getTime() ?? 0) - 1_000_000) / 1000,
    band.stepIndex,
  ]);

it('is one idle band where nothing was', () => {
  assert.deepEqual(bands([], 0, 10), [['idle', 0, 10, null]]);
});

it('shows at each moment who drove: a person before a wait, a failed attempt before the agent', () => {
  const spans = [
    span('agent', 10, 100),
    span('failed', 20, 25, 1),
    span('failed', 25, 30, 2),
    span('waiting', 40, 80),
    span('person', 50, 60),
  ];
  assert.deepEqual(bands(spans, 0, 110), [
    ['idle', 0, 10, null],
    ['agent', 10, 20, null],
    ['failed', 20, 25, 1],
    ['failed', 25, 30, 2],
    ['agent', 30, 40, null],
    ['waiting', 40, 50, null],
    ['person', 50, 60, null],
    ['waiting', 60, 80, null],
    ['agent', 80, 100, null],
    ['idle', 100, 110, null],
  ]);
});

it('cuts what reaches beyond the window, and what goes on', () => {
  assert.deepEqual(bands([span('agent', 0, null), span('person', 5, null)], 2, 8), [
    ['agent', 2, 5, null],
    ['person', 5, 8, null],
  ]);
});
