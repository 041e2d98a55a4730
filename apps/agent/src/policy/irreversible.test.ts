import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StepRow, TaskRow } from '@pilothouse/store';
import { type Doubt, doubtOf } from './doubt.ts';
import type { Turn } from './turn.ts';

const at = (secs: number) => new Date(Date.UTC(2030, 0, 1, 0, 0, secs));

type Told = {
  irreversible?: boolean;
  status?: StepRow['status'];
  mayHaveActed?: boolean;
  answer?: string;
  askedAt?: Date;
};

/** A payment whose only try ended in second 10; what a person said was asked in second 20. */
function turnOf({
  irreversible = true,
  status = 'interrupted',
  mayHaveActed = true,
  answer,
  askedAt = at(20),
}: Told): Turn {
  const asked = {
    step_id: 'step-2',
    question: 'q',
    asked_at: askedAt.toISOString(),
    answered_at: at(30).toISOString(),
  };
  // Only what is looked at.
  return {
    step: { action: 'click', target: 'Pay', irreversible },
    index: 2,
    tries: [{ status, may_have_acted: mayHaveActed, effect_at: at(10) } as StepRow],
    task: { answers: answer === undefined ? [] : [{ ...asked, text: answer }] } as unknown as TaskRow,
  } as Turn;
}

const rows: [Told, Doubt][] = [
  [{}, 'ask'],
  [{ irreversible: false }, 'none'],
  [{ mayHaveActed: false }, 'none'],
  [{ status: 'failed' }, 'none'],
  [{ answer: 'yes', askedAt: at(5) }, 'ask'],
  [{ answer: 'repeat' }, 'none'],
  [{ answer: 'Please try it again.' }, 'none'],
  [{ answer: 'do NOT repeat it' }, 'done'],
  [{ answer: 'Don’t do it again' }, 'done'],
  [{ answer: 'It was not done, repeat' }, 'none'],
  [{ answer: 'No, so do it again' }, 'none'],
  [{ answer: 'There is no need to repeat' }, 'done'],
  [{ answer: 'stop' }, 'stop'],
  [{ answer: 'Cancel the whole thing' }, 'stop'],
  [{ answer: "don't stop" }, 'done'],
  [{ answer: 'It was done, go on' }, 'done'],
  [{ answer: 'unstoppable' }, 'done'],
];

describe('a step that cannot be undone', () => {
  for (const [told, expected] of rows) {
    it(`after ${JSON.stringify(told)} is met with "${expected}"`, () => assert.equal(doubtOf(turnOf(told)), expected));
  }
});
