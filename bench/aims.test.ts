import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judge } from './aims.ts';
import type { FiguresOf } from './benches.ts';

const thinking = (p99: number, grown: number): FiguresOf<'thinking'> => ({
  tasks: 100,
  secs: 60,
  decisions_per_second: 9,
  loop_lag_ms: { alone: { p50: 10, p99: 11, max: 12 }, beside: { p50: 10, p99, max: 90 } },
  resident_mb: { alone: 150, beside: 150 + grown, grown },
});

describe('the aims of a bench', () => {
  it('are reached, or those that are not are named', () => {
    assert.deepEqual(judge('thinking', thinking(50, 200)), { good: true, missed: [] });
    assert.deepEqual(judge('thinking', thinking(51, 200))?.missed, [{ what: 'loop lag p99, ms', is: 51, most: 50 }]);
  });

  it('are missed by what was not measured', () => {
    assert.equal(judge('thinking', thinking(Number.NaN, 10))?.good, false);
  });

  it('are not there where none is stated', () => {
    assert.equal(judge('join', {} as FiguresOf<'join'>), undefined);
  });
});
