// Questions of an agent to a person, and their answers. Each change is one conditional statement; log it in the same
// transaction.

import type { Condition, Question } from '@pilothouse/contract';
import { sql } from 'kysely';
import { now } from '../db/clock.ts';
import type { Tx } from '../db/db.ts';
import { clocksOf } from './task-clock.ts';
import type { TaskHold } from './task-execution.ts';
import type { TaskRow } from './tasks.ts';

/** A question that was settled: by an answer, or by a condition of the page (then `text` is null). */
export type Answer = {
  step_id: string | null;
  question: string;
  asked_at: string;
  text: string | null;
  answered_at: string;
};
export type NewQuestion = {
  text: string;
  stepId: string | null;
  expiresInSecs: number;
  /** The only accepted answers; without options, any text is accepted. */
  options?: Question['options'];
};

/** A time as the API shows it. */
const apiTime = (time: ReturnType<typeof sql>) =>
  sql`to_char((${time}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

export function createQuestions() {
  return {
    /** The task waits for a person; undefined if this execution no longer holds it. */
    ask: (tx: Tx, { id, executionId }: TaskHold, question: NewQuestion, until: Condition | null) =>
      tx.db
        .updateTable('tasks')
        .set({
          status: 'awaiting_user',
          updated_at: now,
          ...clocksOf('awaiting_user'),
          question: sql`jsonb_build_object(
            'text', ${question.text}::text,
            'step_id', ${question.stepId}::text,
            'asked_at', ${apiTime(now)},
            'expires_at', ${apiTime(sql`${now} + make_interval(secs => ${question.expiresInSecs})`)},
            'until', ${until === null ? null : JSON.stringify(until)}::jsonb,
            'options', ${question.options ? JSON.stringify(question.options) : null}::jsonb)`,
        })
        .where('id', '=', id)
        .where('status', '=', 'running')
        .where('execution_id', '=', executionId)
        .returningAll()
        .executeTakeFirst(),

    /**
     * A person has answered. Undefined if no question is open, or not the one that they name by its time, or if the
     * answer is none of its options.
     */
    answer: (tx: Tx, id: string, { text, askedAt }: { text: string; askedAt?: string }) =>
      settle(tx, id, sql`case when ${hasOptions} then ${optionOf(text)}::text else ${text}::text end`)
        .where(sql<boolean>`(not ${hasOptions} or question->'options' ? ${optionOf(text)})`)
        .$if(askedAt !== undefined, (update) => update.where(sql<boolean>`question->>'asked_at' = ${askedAt}`))
        .executeTakeFirst(),

    /** The page met the condition: this question, and no later one, is settled without an answer. */
    answered: (tx: Tx, { id, executionId, askedAt }: TaskHold & { askedAt: string }) =>
      settle(tx, id, sql`null::text`)
        .where('execution_id', '=', executionId)
        .where(sql`question->>'asked_at'`, '=', askedAt)
        .executeTakeFirst(),
  };
}

const hasOptions = sql<boolean>`coalesce(jsonb_typeof(question->'options') = 'array', false)`;

/** Options are in lower case; people may write them otherwise. */
const optionOf = (text: string): string => text.trim().toLowerCase();

/** The task goes on: it is due with the statement that settles its question. */
function settle(tx: Tx, id: string, text: ReturnType<typeof sql>) {
  tx.hasQueued = true;
  return tx.db
    .updateTable('tasks')
    .set({
      status: 'running',
      run_due_at: sql`least(run_due_at, clock_timestamp())`,
      updated_at: now,
      ...clocksOf('running'),
      question: null,
      answers: sql`answers || jsonb_build_object(
        'step_id', question->'step_id',
        'question', question->'text',
        'asked_at', question->'asked_at',
        'text', ${text},
        'answered_at', ${apiTime(now)})`,
    })
    .where('id', '=', id)
    .where('status', '=', 'awaiting_user')
    .returningAll();
}

/** The open question, as the API shows it. A question of an earlier release has no field `options`. */
export const questionOf = ({ question }: Pick<TaskRow, 'question'>): Question | null =>
  question === null ? null : { ...(question as Question), options: (question as Question).options ?? null };

/** Oldest first. */
export const answersOf = ({ answers }: TaskRow): Answer[] => answers as Answer[];
