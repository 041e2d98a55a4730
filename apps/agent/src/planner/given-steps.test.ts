import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Step } from '@pilothouse/contract';
import type { StepRow } from '@pilothouse/store';
import { nextGivenStep } from './given-steps.ts';

const plan: Step[] = [{ action: 'back' }, { action: 'forward' }, { action: 'reload' }];
const row = (index: number, status: StepRow['status']) => ({ index, status }) as StepRow;

const cases: [name: string, rows: StepRow[], next: number | undefined][] = [
  ['the first step is next where nothing was tried', [], 1],
  ['the step after the last success is next', [row(1, 'success'), row(2, 'success')], 3],
  ['a step that failed is next', [row(1, 'success'), row(2, 'failed')], 2],
  ['a step that was interrupted is next', [row(1, 'interrupted')], 1],
  ['a step that is open is next', [row(1, 'success'), row(2, 'running')], 2],
  ['a step that failed and then succeeded is done', [row(1, 'failed'), row(1, 'success')], 2],
  ['a step that was left out is next, although later ones are done', [row(1, 'success'), row(3, 'success')], 2],
  ['nothing is next where all steps are done', [row(1, 'success'), row(2, 'success'), row(3, 'success')], undefined],
];

describe('the next of the given steps', () => {
  for (const [name, rows, index] of cases)
    it(name, () => assert.deepEqual(nextGivenStep(plan, rows), index && { index, step: plan[index - 1] }));

  it('nothing is next in an empty plan', () => assert.equal(nextGivenStep([], []), undefined));
});
