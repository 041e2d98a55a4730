// A question of an agent to a person.

import { z } from 'zod';
import { Timestamp } from '../types/time.ts';
import { PlanItem } from './plan-item.ts';
import { Approval } from './policy.ts';
import { Condition } from './step.ts';

/**
 * What a person can say of a step that cannot be undone and may have been done: go on as done, do it again, or stop.
 */
export const IrreversibleAnswer = z.enum(['done', 'repeat', 'stop']).meta({ id: 'IrreversibleAnswer' });
export type IrreversibleAnswer = z.infer<typeof IrreversibleAnswer>;

/**
 * What a question asks for: `question`, words; `choice`, one of several answers; `yes_no`, yes or no; `approval`, a yes to one
 * action before it is done; `plan`, a yes to what a model intends; `doubt`, whether a step that cannot be undone was done;
 * `drive`, something that a person does in the browser, until the page shows it (`until`) or until they hand it back.
 */
export const QuestionKind = z
  .enum(['question', 'choice', 'yes_no', 'approval', 'plan', 'doubt', 'drive'])
  .meta({ id: 'QuestionKind' });
export type QuestionKind = z.infer<typeof QuestionKind>;

/** One answer that a person can choose: `value` is sent, `label` is shown. */
export const Choice = z.object({ value: z.string(), label: z.string() }).meta({ id: 'Choice' });
export type Choice = z.infer<typeof Choice>;

/** A question of the agent, and the condition of the page that ends the wait without an answer. */
export const Question = z
  .object({
    text: z.string(),
    step_id: z.string().nullable(),
    asked_at: Timestamp,
    expires_at: Timestamp.nullable(),
    until: Condition.nullable(),
    /** The only accepted answers; null if any text is accepted. */
    options: z.array(IrreversibleAnswer).min(1).nullable(),
    /** Absent only in events of an earlier release, as are `choices`. */
    kind: QuestionKind.optional(),
    /** Answers to choose from, in the order in which they are shown; null if there are none. */
    choices: z.array(Choice).min(1).nullable().optional(),
    /** Whether words that are none of the choices are an answer too. Absent only in events of an earlier release: if there are no choices. */
    takes_words: z.boolean().optional(),
    /** Of a question of kind `plan`: what the model intends. */
    plan_items: z.array(PlanItem).nullable().optional(),
    /** Of a question of kind `approval`: the act, whose yes is one of the choices `once`, `kind` and `no`. */
    approval: Approval.nullable().optional(),
  })
  .meta({ id: 'Question' });
export type Question = z.infer<typeof Question>;
