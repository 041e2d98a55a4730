import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { RecordingBand } from '../live/api-types.ts';
import { mergeBands, rereadFrom } from './merge-bands.ts';

const at = (secs: number) => new Date(Date.UTC(2026, 10, 1) + secs * 1000).toISOString();
const band = (from: number, to: number | null): RecordingBand => ({
  kind: 'agent',
  from: at(from),
  to: to === null ? null : at(to),
  task_id: null,
  step_id: null,
  private: false,
});

it('reads everything first, and then only the last bands again', () => {
  assert.equal(rereadFrom([]), undefined);
  const few = [band(0, 1), band(1, null)];
  assert.equal(rereadFrom(few), undefined);
  assert.deepEqual(mergeBands(few, [band(0, 2)], undefined), [band(0, 2)]);

  const many = Array.from({ length: 20 }, (_, index) => band(index, index === 19 ? null : index + 1));
  const from = rereadFrom(many);
  assert.equal(from, at(14));
  const merged = mergeBands(many, [band(14, 15), band(15, 30), band(30, null)], from);
  assert.deepEqual(merged.slice(0, 14), many.slice(0, 14));
  assert.deepEqual(merged.slice(14), [band(14, 15), band(15, 30), band(30, null)]);
});
