import type { Condition, Question } from '@pilothouse/contract';
import { sql } from 'kysely';
import { clocksOf } from './clocks.ts';
import type { Tx } from './db.ts';
import type { TaskRow } from './tasks.ts';

/** One question that was asked and what ended it: the words of a person, or what the page showed (`text` is null). */
export type Answer = {
  step_id: string | null;
  question: string;
  asked_at: string;
  text: string | null;
  answered_at: string;
};
export type NewQuestion = { text: string; stepId: string | null; expiresInSecs: number };
type HeldTask = { id: string; executionId: string };

const now = sql<Date>`date_trunc('milliseconds', clock_timestamp())`;
/** A time in the words of the interface, so that both columns hold what it shows. */
const worded = (time: ReturnType<typeof sql>) =>
  sql`to_char((${time}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** What an agent asks a person, and what they say. Each is one conditional statement; log it in the same transaction. */
export function createQuestions() {
  return {
    /** The task waits for a person; nothing, where this execution no longer holds it. */
    ask: (tx: Tx, { id, executionId }: HeldTask, question: NewQuestion, until: Condition | null) =>
      tx.db
        .updateTable('tasks')
        .set({
          status: 'awaiting_user',
          updated_at: now,
          ...clocksOf('awaiting_user'),
          question: sql`jsonb_build_object(
            'text', ${question.text}::text,
            'step_id', ${question.stepId}::text,
            'asked_at', ${worded(now)},
            'expires_at', ${worded(sql`${now} + make_interval(secs => ${question.expiresInSecs})`)},
            'until', ${until === null ? null : JSON.stringify(until)}::jsonb)`,
        })
        .where('id', '=', id)
        .where('status', '=', 'running')
        .where('execution_id', '=', executionId)
        .returningAll()
        .executeTakeFirst(),

    /**
     * A person has answered; nothing, where no question stands, or not the one they name by its time. Send the workflow
     * a signal in the same transaction.
     */
    answer: (tx: Tx, id: string, { text, askedAt }: { text: string; askedAt?: string }) =>
      settle(tx, id, text)
        .$if(askedAt !== undefined, (update) => update.where(sql<boolean>`question->>'asked_at' = ${askedAt}`))
        .executeTakeFirst(),

    /** The page showed what was waited for: that question, and no later one, is settled without an answer. */
    answered: (tx: Tx, { id, executionId, askedAt }: HeldTask & { askedAt: string }) =>
      settle(tx, id, null)
        .where('execution_id', '=', executionId)
        .where(sql`question->>'asked_at'`, '=', askedAt)
        .executeTakeFirst(),
  };
}

const settle = (tx: Tx, id: string, text: string | null) =>
  tx.db
    .updateTable('tasks')
    .set({
      status: 'running',
      updated_at: now,
      ...clocksOf('running'),
      question: null,
      answers: sql`answers || jsonb_build_object(
        'step_id', question->'step_id',
        'question', question->'text',
        'asked_at', question->'asked_at',
        'text', ${text}::text,
        'answered_at', ${worded(now)})`,
    })
    .where('id', '=', id)
    .where('status', '=', 'awaiting_user')
    .returningAll();

/** The question that stands, in the words of the interface. */
export const questionOf = ({ question }: TaskRow): Question | null => question as Question | null;

/** All that was asked and settled so far, oldest first. */
export const answersOf = ({ answers }: TaskRow): Answer[] => answers as Answer[];
