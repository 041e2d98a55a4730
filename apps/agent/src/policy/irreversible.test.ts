import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StepRow, TaskRow } from '@pilothouse/store';
import type { Turn } from '../ledger/turn.ts';
import { decideIrreversible, type IrreversibleDecision } from './irreversible.ts';

const at = (secs: number) => new Date(Date.UTC(2030, 0, 1, 0, 0, secs));

type Facts = {
  irreversible?: boolean;
  status?: StepRow['status'];
  mayHaveActed?: boolean;
  answer?: string;
  askedAt?: Date;
};

/** A payment whose only attempt ended in second 10; the person was asked in second 20. */
function turnOf({
  irreversible = true,
  status = 'interrupted',
  mayHaveActed = true,
  answer,
  askedAt = at(20),
}: Facts): Turn {
  const asked = {
    step_id: 'step-2',
    question: 'q',
    asked_at: askedAt.toISOString(),
    answered_at: at(30).toISOString(),
  };
  // Only what the function reads.
  return {
    step: { action: 'click', target: 'Pay', irreversible },
    index: 2,
    attempts: [{ status, may_have_acted: mayHaveActed, effect_at: at(10) } as StepRow],
    task: { answers: answer === undefined ? [] : [{ ...asked, text: answer }] } as unknown as TaskRow,
  } as Turn;
}

const rows: [Facts, IrreversibleDecision][] = [
  [{}, 'ask'],
  [{ irreversible: false }, 'none'],
  [{ mayHaveActed: false }, 'none'],
  [{ status: 'failed' }, 'none'],
  [{ answer: 'repeat', askedAt: at(5) }, 'ask'],
  [{ answer: 'done', askedAt: at(5) }, 'ask'],
  [{ answer: 'repeat' }, 'none'],
  [{ answer: 'stop' }, 'stop'],
  [{ answer: 'done' }, 'done'],
  // An earlier release took any words: their meaning is not guessed.
  [{ answer: 'Please try it again.' }, 'ask'],
  [{ answer: 'do NOT repeat it' }, 'ask'],
  [{ answer: 'Cancel the whole thing' }, 'ask'],
  [{ answer: 'It was done, go on' }, 'ask'],
  [{ answer: 'no idea' }, 'ask'],
  [{ answer: '' }, 'ask'],
];

describe('a step that cannot be undone', () => {
  for (const [facts, expected] of rows) {
    it(`after ${JSON.stringify(facts)} leads to "${expected}"`, () =>
      assert.equal(decideIrreversible(turnOf(facts)), expected));
  }
});
