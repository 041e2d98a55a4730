// Shapes of tasks.

import { z } from 'zod';
import { Count } from '../types/count.ts';
import { Uuid7 } from '../types/id.ts';
import { Json, JsonObject } from '../types/json.ts';
import { text } from '../types/text.ts';
import { Timestamp } from '../types/time.ts';
import { ChangedPlan, PlanItem } from './plan-item.ts';
import { Policy, PolicyVerdict } from './policy.ts';
import { Question } from './question.ts';
import { TaskState } from './states.ts';
import { Plan } from './step.ts';
import { ClientId, Takeover } from './takeover.ts';
import { Verdict } from './verdict.ts';
import { ImageType } from './view.ts';

/** A file that the task downloaded. */
export const TaskFile = z
  .object({ file_id: z.string(), name: z.string(), content_type: z.string(), byte_len: Count, path: z.string() })
  .meta({ id: 'TaskFile' });
export type TaskFile = z.infer<typeof TaskFile>;

/** `data` follows the `output_schema` of the request, if there was one. */
export const TaskResult = z
  .object({
    summary: z.string().nullable(),
    data: Json.nullable(),
    files: z.array(TaskFile),
    /** What a model says of its work: all of it, or a part. Absent where the steps were given. */
    state: z.enum(['done', 'partial']).optional(),
    /**
     * Paths of values in `data` that were seen nowhere in the run, such as `items.2.price`: the model made them up, or
     * computed them. Absent if there are none.
     */
    ungrounded: z.array(z.string()).optional(),
    /** Absent unless the request asked for it. */
    verdict: Verdict.optional(),
    /** Answers of people; absent if no question was asked. */
    answers: z.array(z.object({ step_id: z.string().nullable(), question: z.string(), text: z.string() })).optional(),
  })
  .meta({ id: 'TaskResult' });
export type TaskResult = z.infer<typeof TaskResult>;

export const Evidence = z
  .object({
    observation_id: Uuid7,
    step_id: z.string(),
    recorded_at: Timestamp,
    label: z.string(),
    content_type: ImageType,
    width: Count.nullable(),
    height: Count.nullable(),
    screenshot_path: z.string(),
    url: z.string().nullable(),
  })
  .meta({ id: 'Evidence' });
export type Evidence = z.infer<typeof Evidence>;

export const AgentHistory = z
  .object({
    timestamp: Timestamp,
    step_index: Count,
    step_id: z.string(),
    title: z.string(),
    action: z.string(),
    status: z.enum(['success', 'failed', 'interrupted']),
    attempts: Count,
    message: z.string().nullable(),
    thinking: z.string().nullable(),
    evaluation: z.string().nullable(),
    next_goal: z.string().nullable(),
    wait_ms: Count,
    run_ms: Count,
    /** What the policy said of the last attempt. Absent where it was not asked, and for attempts of an earlier release. */
    policy: PolicyVerdict.optional(),
  })
  .meta({ id: 'AgentHistory' });
export type AgentHistory = z.infer<typeof AgentHistory>;

/** The progress of a task, also in the event of every change. */
export const TaskProgress = z
  .object({
    status: TaskState,
    total_steps: Count.nullable(),
    /** 0 before the first. */
    current_step: Count,
    /** Empty before the first. */
    current_step_title: z.string(),
    started_at: Timestamp.nullable(),
    finished_at: Timestamp.nullable(),
    last_error: z.string().nullable(),
    last_updated_at: Timestamp,
    /** Rises when another agent goes on with the task. Absent for guests, and in events of an earlier release. */
    attempt: Count.optional(),
    /** A program of a user drives over the DevTools protocol, and no agent. Absent for guests, and for tasks of agents. */
    driven_by: z.literal('program').optional(),
    /** What a model intends, in the events that change it. */
    plan_items: z.array(PlanItem).optional(),
  })
  .meta({ id: 'TaskProgress' });
export type TaskProgress = z.infer<typeof TaskProgress>;

/** The primary source of progress. Pictures are linked; the stream continues from `cursor` without a gap. */
export const TaskStatus = TaskProgress.extend({
  task_id: Uuid7,
  session_id: Uuid7,
  title: z.string(),
  result: TaskResult.nullable(),
  takeover: Takeover.nullable(),
  question: Question.nullable(),
  /** What the model intends, as it was proposed or as a person agreed to it; null unless the chat asked for it (`confirm`). */
  plan_items: z.array(PlanItem).nullable().optional(),
  recent_evidence: z.array(Evidence),
  agent_history: z.array(AgentHistory),
  attempt: Count,
  cost: z.object({
    steps: Count,
    model_calls: Count,
    input_tokens: Count,
    output_tokens: Count,
    /** Those of the input that the vendor had in its cache. Absent from earlier releases, as is `cost_micros`. */
    cached_tokens: Count.optional(),
    /** Millionths of a dollar, as far as prices are known. */
    cost_micros: Count.optional(),
  }),
  cursor: z.string(),
}).meta({ id: 'TaskStatus' });
export type TaskStatus = z.infer<typeof TaskStatus>;

export const Observation = z
  .object({
    observation_id: Uuid7,
    task_id: Uuid7,
    step_id: z.string(),
    seq: Count,
    recorded_at: Timestamp,
    kind: z.enum(['screenshot', 'page', 'extract', 'download']),
    url: z.string().nullable(),
    title: z.string().nullable(),
    summary: z.string().nullable(),
    data: Json.nullable(),
    artifact: z
      .object({
        content_type: z.string(),
        byte_len: Count,
        /** Null for what is not a picture. */
        width: Count.nullable(),
        height: Count.nullable(),
        path: z.string(),
        data_base64: z.string().optional(),
        /**
         * In place of `data_base64`, where a picture was asked for and is too large to be embedded: read it by `path`.
         */
        data_omitted: z.literal('too_large').optional(),
      })
      .nullable(),
  })
  .meta({ id: 'Observation' });
export type Observation = z.infer<typeof Observation>;

export const LogLevel = z.enum(['debug', 'info', 'warn', 'error']);
export type LogLevel = z.infer<typeof LogLevel>;

export const LogEntry = z
  .object({
    seq: Count,
    timestamp: Timestamp,
    level: LogLevel,
    message: z.string(),
    step_id: z.string().nullable(),
    /** Of a line about a verdict of the policy: `policy`, a PolicyVerdict. */
    data: Json.nullable(),
  })
  .meta({ id: 'LogEntry' });
export type LogEntry = z.infer<typeof LogEntry>;

/** An attempt in the ledger: the intent is written before it acts, the effect after. */
export const ExecutionStep = z
  .object({
    step_id: z.string(),
    index: Count,
    title: z.string(),
    action: z.string(),
    status: z.enum(['running', 'success', 'failed', 'interrupted']),
    attempts: Count,
    intent_at: Timestamp,
    effect_at: Timestamp.nullable(),
    wait_ms: Count,
    run_ms: Count,
    error: z.string().nullable(),
    /** What the policy said of it. Absent where it was not asked, and for attempts of an earlier release. */
    policy: PolicyVerdict.optional(),
  })
  .meta({ id: 'ExecutionStep' });
export type ExecutionStep = z.infer<typeof ExecutionStep>;

/** One attempt at the task by one agent. `interrupted`: the agent was lost, and another agent continued. */
export const Execution = z
  .object({
    execution_id: Uuid7,
    attempt: Count,
    agent_id: z.string(),
    host_id: z.string().nullable(),
    started_at: Timestamp,
    finished_at: Timestamp.nullable(),
    outcome: z.enum(['success', 'failed', 'cancelled', 'interrupted']).nullable(),
    reason: z.string().nullable(),
    steps: z.array(ExecutionStep),
  })
  .meta({ id: 'Execution' });
export type Execution = z.infer<typeof Execution>;

/** The task as a conversation. */
export const MessageState = z
  .object({
    task_prompt: z.string(),
    items: z.array(
      z.object({
        role: z.enum(['user', 'agent', 'system']),
        kind: z.enum(['prompt', 'progress', 'question', 'answer', 'note', 'result', 'error']),
        /** Of an answer that chose one of the choices of its question: the label of the choice. */
        content: z.string(),
        recorded_at: Timestamp,
      }),
    ),
    pending_question: Question.nullable(),
  })
  .meta({ id: 'MessageState' });
export type MessageState = z.infer<typeof MessageState>;

export const TaskSummary = z
  .object({
    id: Uuid7,
    session_id: Uuid7,
    title: z.string(),
    status: TaskState,
    current_step: Count,
    current_step_title: z.string(),
    created_at: Timestamp,
    started_at: Timestamp.nullable(),
    finished_at: Timestamp.nullable(),
    last_error: z.string().nullable(),
  })
  .meta({ id: 'TaskSummary' });
export type TaskSummary = z.infer<typeof TaskSummary>;

export const Planner = z.enum(['auto', 'llm', 'script']);
export type Planner = z.infer<typeof Planner>;

export const Task = TaskSummary.extend({
  prompt: z.string(),
  plan: Plan.nullable(),
  settings: z.object({
    planner: Planner,
    model: z.string().nullable(),
    current_url: z.string().nullable(),
    constraints: z.array(z.string()),
    /** Null: any domain. */
    allowed_domains: z.array(z.string()).nullable(),
    output_schema: JsonObject.nullable(),
    max_steps: Count,
    time_limit_secs: Count,
    /** What a model may use for the task: tokens, and dollars. Absent: the default of the installation, and no limit. */
    max_tokens: Count.optional(),
    max_cost: z.number().optional(),
    /** Whether a model judges the task after its end. */
    judge: z.boolean().optional(),
    /** A person agrees to the plan of the model before it acts. */
    confirm: z.literal('plan').optional(),
    /** A program wrote the steps, and no person. */
    steps_by: z.literal('program').optional(),
    /** The rules that the chat added. */
    policy: Policy.optional(),
  }),
  result: TaskResult.nullable(),
  /** The task this one repeats. */
  rerun_of: Uuid7.nullable(),
}).meta({ id: 'Task' });
export type Task = z.infer<typeof Task>;

export const Screenshot = z
  .object({
    task_id: Uuid7,
    recorded_at: Timestamp,
    content_type: ImageType,
    width: Count.nullable(),
    height: Count.nullable(),
    screenshot_base64: z.string(),
    url: z.string().nullable(),
  })
  .meta({ id: 'Screenshot' });
export type Screenshot = z.infer<typeof Screenshot>;

/** A task that waits for a person. */
export const InboxItem = z
  .object({
    task_id: Uuid7,
    session_id: Uuid7,
    title: z.string(),
    status: TaskState.extract(['awaiting_user', 'takeover']),
    waiting_since: Timestamp,
    question: Question.nullable(),
    takeover: Takeover.nullable(),
  })
  .meta({ id: 'InboxItem' });
export type InboxItem = z.infer<typeof InboxItem>;

/**
 * Names a state of an inbox: which tasks wait, what each asks, and who drives. The time left of a takeover is not part of it,
 * so that an inbox in which nothing happens keeps its version.
 */
export const InboxVersion = z.string().regex(/^[0-9a-f]{32}$/);

export const CancelRequest = z.object({ reason: text(1000, 1).optional() }).meta({ id: 'CancelRequest' });
export type CancelRequest = z.infer<typeof CancelRequest>;

/**
 * The person acts now: answers the open question, or interrupts the running step and takes over. A takeover that the same
 * person has requested becomes this one.
 */
export const TakeoverSignal = z
  .object({
    message: text(4000, 1).optional(),
    /**
     * For a question with `choices`, the value of one of them. Any other answer is refused where the question takes no words,
     * and the question stays open.
     */
    answer: text(8000, 1).optional(),
    /** Names the question: if another question is open by now, the answer is refused. */
    asked_at: Timestamp.optional(),
    /** Only for a question of kind `plan`, in place of an answer: a yes to this plan, which takes the place of the proposed one. */
    plan_items: ChangedPlan.optional(),
    /** The window that drives, if the person takes over. */
    client_id: ClientId.optional(),
  })
  .refine(({ plan_items, answer, message }) => !plan_items || (answer ?? message) === undefined, {
    path: ['plan_items'],
    message: 'must not be given beside an answer or a message',
  })
  .meta({ id: 'TakeoverSignal' });
export type TakeoverSignal = z.infer<typeof TakeoverSignal>;
