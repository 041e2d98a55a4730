// Questions of an agent to a person, and their answers. Each change is one conditional statement; log it in the same
// transaction.

import type {
  Approval,
  Choice,
  Condition,
  IrreversibleAnswer,
  PlanItem,
  Question,
  QuestionKind,
} from '@pilothouse/contract';
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
  /** What the chosen answer said; null where none was chosen. Answers of an earlier release do not have it. */
  label?: string | null;
  answered_at: string;
  /** The user who answered; null if the page did. Answers of an earlier release do not say it. */
  answered_by?: string | null;
};
export type NewQuestion = {
  text: string;
  stepId: string | null;
  expiresInSecs: number;
  kind?: QuestionKind;
  /** For a doubt: the only accepted answers. */
  options?: Question['options'];
  /** Answers to choose from. Values are in lower case, unless other words are accepted too. */
  choices?: Choice[];
  /** Whether words that are none of the choices are an answer too. */
  takesWords?: boolean;
  /** For a plan: what the model intends. */
  planItems?: PlanItem[];
  /** For an approval: the act. It lapses with the question. */
  approval?: Omit<Approval, 'expires_at'>;
};
/** A yes to a plan that a person has changed. */
type ChangedPlan = { items: PlanItem[]; askedAt?: string; by?: string };

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
          ...(question.planItems && { plan_items: JSON.stringify(question.planItems) }),
          question: sql`jsonb_build_object(
            'text', ${question.text}::text,
            'step_id', ${question.stepId}::text,
            'asked_at', ${apiTime(now)},
            'expires_at', ${apiTime(sql`${now} + make_interval(secs => ${question.expiresInSecs})`)},
            'until', ${until === null ? null : JSON.stringify(until)}::jsonb,
            'options', ${question.options ? JSON.stringify(question.options) : null}::jsonb,
            'kind', ${question.kind ?? kindOf(question.options, until)}::text,
            'choices', ${question.choices ? JSON.stringify(question.choices) : null}::jsonb,
            'takes_words', ${question.takesWords ?? !(question.choices || question.options)}::boolean,
            'plan_items', ${question.planItems ? JSON.stringify(question.planItems) : null}::jsonb)
            || ${approvalJson(question)}`,
        })
        .where('id', '=', id)
        .where('status', '=', 'running')
        .where('execution_id', '=', executionId)
        .returningAll()
        .executeTakeFirst(),

    /**
     * A person has answered. Undefined if no question is open, or not the one that they name by its time, or if the
     * answer is none of its choices and it takes no words. A yes to a plan is an agreement to it.
     */
    answer(tx: Tx, id: string, { text, askedAt, by }: { text: string; askedAt?: string; by?: string }) {
      const choice = choiceOf(text);
      const agrees = sql<boolean>`(${isPlan} and ${yesWords.has(choice)}::boolean)`;
      const kept = sql`case when ${agrees} then 'yes' when ${isBound} then ${choice}::text else ${text}::text end`;
      return settle(tx, id, { text: kept, by })
        .set({ plan_agreed_at: sql`case when ${agrees} then ${now} else plan_agreed_at end` })
        .where(sql<boolean>`(not ${hasOptions} or question->'options' ? ${choice})`)
        .where(isInTime)
        .where(
          sql<boolean>`(${agrees} or not ${isBound} or not ${hasChoices}
            or question->'choices' @> ${JSON.stringify([{ value: choice }])}::jsonb)`,
        )
        .$if(askedAt !== undefined, (update) => update.where(sql<boolean>`question->>'asked_at' = ${askedAt}`))
        .executeTakeFirst();
    },

    /** A person agrees to a plan as they have changed it. Undefined if no plan is asked about, or not the one that they name. */
    agree: (tx: Tx, id: string, { items, askedAt, by }: ChangedPlan) =>
      settle(tx, id, { text: sql`${`Yes, with changes:\n${planText(items)}`}::text`, by })
        .set({ plan_items: JSON.stringify(items), plan_agreed_at: now })
        .where(isPlan)
        .$if(askedAt !== undefined, (update) => update.where(sql<boolean>`question->>'asked_at' = ${askedAt}`))
        .executeTakeFirst(),

    /** The page met the condition: this question, and no later one, is settled without an answer. */
    answered: (tx: Tx, { id, executionId, askedAt }: TaskHold & { askedAt: string }) =>
      settle(tx, id, { text: sql`null::text` })
        .where('execution_id', '=', executionId)
        .where(sql`question->>'asked_at'`, '=', askedAt)
        .executeTakeFirst(),
  };
}

/** Only a question about an act has it. */
const approvalJson = ({ approval, expiresInSecs }: NewQuestion) =>
  approval === undefined
    ? sql`'{}'::jsonb`
    : sql`jsonb_build_object('approval', ${JSON.stringify(approval)}::jsonb
        || jsonb_build_object('expires_at', ${apiTime(sql`${now} + make_interval(secs => ${expiresInSecs})`)}))`;

/** A yes that comes too late is none: by then nobody can know what it would be said to. */
const isInTime = sql<boolean>`(coalesce(question->>'kind', '') <> 'approval' or (question->>'expires_at')::timestamptz > ${now})`;

const hasOptions = sql<boolean>`coalesce(jsonb_typeof(question->'options') = 'array', false)`;

const hasChoices = sql<boolean>`coalesce(jsonb_typeof(question->'choices') = 'array', false)`;

/** Only its options or choices are an answer. A question of an earlier release does not say whether it takes words. */
const isBound = sql<boolean>`((${hasOptions} or ${hasChoices}) and not coalesce((question->>'takes_words')::boolean, false))`;

const isPlan = sql<boolean>`(question->>'kind' = 'plan')`;

/** What counts as a yes to a plan. */
const yesWords: ReadonlySet<string> = new Set(['y', 'yes', 'ok', 'okay', 'start', 'go', 'go on', 'go ahead']);

/** Options and values of choices are in lower case; people may write them otherwise. */
const choiceOf = (text: string): string => text.trim().toLowerCase();

type Settlement = { text: ReturnType<typeof sql>; by?: string | null; from?: TaskRow['status'] };

/** The task goes on: it is due with the statement that settles its question. */
function settle(tx: Tx, id: string, { text, by = null, from = 'awaiting_user' }: Settlement) {
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
        'label', ${labelOf(text)},
        'answered_at', ${apiTime(now)},
        'answered_by', ${by}::text)`,
    })
    .where('id', '=', id)
    .where('status', '=', from)
    .returningAll();
}

/**
 * The person whom the task had asked to drive hands the browser back: that is the answer, where the page itself cannot
 * show it. Undefined for any other question.
 */
export const answerByDriving = (tx: Tx, id: string, by: string): Promise<TaskRow | undefined> =>
  settle(tx, id, { text: sql`'The wheel was handed back.'::text`, by, from: 'takeover' })
    .where(sql<boolean>`question->>'kind' = 'drive' and coalesce(question->'until', 'null') = 'null'`)
    .executeTakeFirst();

/** What the choice with this value says. A doubt has options, whose words are not in the row. */
const labelOf = (text: ReturnType<typeof sql>) => sql`coalesce(
  (select choice->>'label' from jsonb_array_elements(case when ${hasChoices} then question->'choices' else '[]' end) choice
    where choice->>'value' = (${text}) limit 1),
  case when ${hasOptions} then ${JSON.stringify(doubtLabels)}::jsonb->>(${text}) end)`;

/** What the choices of a doubt say. */
const doubtLabels: Record<IrreversibleAnswer, string> = {
  done: 'It was done: go on',
  repeat: 'It was not done: do it again',
  stop: 'End the task',
};

/** The kind of a question whose author does not say it. */
const kindOf = (options: Question['options'] | undefined, until: Condition | null): QuestionKind =>
  options ? 'doubt' : until ? 'drive' : 'question';

/** The open question, as the API shows it. A question of an earlier release has no options, kind or choices. */
export function questionOf({ question: stored }: Pick<TaskRow, 'question'>): Question | null {
  if (stored === null) return null;
  const question = stored as Question;
  const { options = null, kind = kindOf(options, question.until) } = question;
  const ofOptions = options?.map((value) => ({ value, label: doubtLabels[value] })) ?? null;
  const choices = question.choices ?? ofOptions;
  return { ...question, options, kind, choices, takes_words: question.takes_words ?? choices === null };
}

/** The plan that the model proposed last, or to which a person agreed; null where the task has none. */
export const planItemsOf = ({ plan_items }: Pick<TaskRow, 'plan_items'>): PlanItem[] | null =>
  plan_items as PlanItem[] | null;

/** A plan as text, one line an item. */
export const planText = (items: readonly PlanItem[]): string =>
  items.map(({ text, site }, i) => `${i + 1}. ${text}${site ? ` (${site})` : ''}`).join('\n');

/** Oldest first. */
export const answersOf = ({ answers }: TaskRow): Answer[] => answers as Answer[];
