import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { LiveEvent } from './api-types.ts';
import { createHeldMarks } from './held-marks.ts';

const mark = (source: string, seq: number) => ({ type: 'overlay', seq, overlay: { source } }) as unknown as LiveEvent;
const event = (type: string, seq?: number) => ({ type, seq }) as unknown as LiveEvent;

function heldMarks() {
  const applied: string[] = [];
  let due: (() => void) | undefined;
  const marks = createHeldMarks({
    apply: (one) => applied.push([one.type, 'seq' in one && one.seq].filter(Boolean).join(' ')),
    later: (_, work) => {
      due = work;
      return () => {
        due = undefined;
      };
    },
  });
  return { marks, applied, isDue: () => due !== undefined, passTime: () => due?.() };
}

it('marks of a person are taken up later, and frames before them', () => {
  const { marks, applied, isDue, passTime } = heldMarks();
  marks.take(mark('human', 1));
  marks.take(mark('human', 2));
  marks.take(event('frame'));
  assert.deepEqual(applied, ['frame']);
  passTime();
  assert.deepEqual(applied, ['frame', 'overlay 1', 'overlay 2']);
  assert.equal(isDue(), false);
});

it('nothing that is logged overtakes them', () => {
  const { marks, applied, isDue } = heldMarks();
  marks.take(mark('agent', 1));
  marks.take(mark('human', 2));
  marks.take(event('route', 3));
  assert.deepEqual(applied, ['overlay 1', 'overlay 2', 'route 3']);
  assert.equal(isDue(), false);
});

it('none is taken up after the end', () => {
  const { marks, applied, isDue } = heldMarks();
  marks.take(mark('human', 1));
  marks.close();
  assert.deepEqual([isDue(), applied], [false, []]);
});
