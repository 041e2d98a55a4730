// The request that starts a task.

import { z } from 'zod';
import { IdParam, Uuid7 } from '../types/id.ts';
import { JsonObject } from '../types/json.ts';
import { Success } from '../types/route.ts';
import { sizes, taskLimits } from '../types/sizes.ts';
import { text } from '../types/text.ts';
import { WebUrl } from '../types/url.ts';
import { givenFiles } from './given-files.ts';
import { PlanItem } from './plan-item.ts';
import { Policy } from './policy.ts';
import { TaskState } from './states.ts';
import { maxSteps, Plan, Step } from './step.ts';
import { Planner } from './task.ts';

const Prompt = text(sizes.promptChars, 1);

/**
 * A host name, or `*.` before one for all below it. Some that look like one are none: `example.1` is half an address.
 */
const Domain = text(253, 1)
  .regex(/^(\*\.)?[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/, 'must be a host name')
  .refine((name) => URL.canParse(`http://${name.replace(/^\*\./, '')}/`), 'must be a host name');

const ChatFields = z.object({
  prompt: Prompt.optional(),
  /** Another name for `prompt`. */
  message: Prompt.optional(),
  session_id: IdParam.optional(),
  /** What happens while a person drives the session: the task waits until they hand it back, or none is begun (`fail`). */
  while_driven: z.enum(['wait', 'fail']).optional(),
  profile_id: IdParam.optional(),
  profile_label: text(100, 1).optional(),
  current_url: WebUrl.optional(),
  constraints: z.array(text(1000, 1)).max(10).default([]),
  planner: Planner.default('auto'),
  steps: z.array(Step).min(1).max(maxSteps).optional(),
  /**
   * Who wrote the steps or the script. Those of a program, such as an agent of another maker, need the same yes of a person as
   * those that a model decides; those of a person, which is the default, need none in the mode `standard`.
   */
  steps_by: z.enum(['person', 'program']).optional(),
  model: text(200, 1).optional(),
  output_schema: JsonObject.optional(),
  allowed_domains: z.array(Domain).min(1).max(taskLimits.sites.most).optional(),
  max_steps: z.int().min(taskLimits.steps.least).max(maxSteps).default(taskLimits.steps.usual),
  time_limit_secs: z.int().min(taskLimits.secs.least).max(taskLimits.secs.most).default(taskLimits.secs.usual),
  /** What a model may use for the task: tokens, and dollars. */
  max_tokens: z.int().min(taskLimits.tokens.least).max(taskLimits.tokens.most).optional(),
  max_cost: z.number().positive().max(taskLimits.dollars.most).optional(),
  /** For a task that a model plans: whether one more call judges the result. The verdict is part of it. */
  judge: z.boolean().optional(),
  /** Only with `planner: "llm"`: a person agrees to the plan of the model before it acts. */
  confirm: z.literal('plan').optional(),
  /** Rules for this task, beside those of the installation and of the user: the strictest holds. */
  policy: Policy.optional(),
  /** Files for `upload` steps, by name. */
  files: givenFiles(sizes.chatFilesKib).optional(),
  /** Whether the frames of a new session are recorded. A session that is there keeps what it was created with. */
  record: z.boolean().optional(),
  /** False: only plan, and create nothing. */
  execute: z.boolean().default(true),
});

// Two different prompts are refused: neither may be ignored, since the browser acts on them.
export const ChatRequest = ChatFields.transform(({ message, ...fields }, context) => {
  const prompt = fields.prompt ?? message;
  const differ = message !== undefined && message !== prompt;
  if (prompt !== undefined && !differ) return { ...fields, prompt };
  const reason = differ ? 'must equal message when both are given' : 'is required';
  context.issues.push({ code: 'custom', message: reason, input: fields, path: ['prompt'] });
  return z.NEVER;
}).meta({ id: 'ChatRequest', anyOf: [{ required: ['prompt'] }, { required: ['message'] }] });
export type ChatRequest = z.infer<typeof ChatRequest>;

/** The ids of work that will run: the rows and the queue entry were committed together. */
export const ChatReply = Success.extend({
  session_id: Uuid7,
  task_id: Uuid7,
  status: TaskState,
  stream_path: z.string(),
  live_path: z.string(),
}).meta({ id: 'ChatReply' });
export type ChatReply = z.infer<typeof ChatReply>;

/** The steps of a script. A model plans in words: then there are no steps, but items. */
export const PlanReply = Success.extend({ plan: Plan.extend({ items: z.array(PlanItem).optional() }) }).meta({
  id: 'PlanReply',
});
export type PlanReply = z.infer<typeof PlanReply>;

/** The same key and body within a day return the same ids, so that a retry never starts the work twice. */
export const IdempotencyHeaders = z.object({ 'idempotency-key': text(200, 1).optional() });
