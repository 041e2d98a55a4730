// Rows of tasks and attempts, as the API shows them.

import type { AgentHistory, ExecutionStep, PolicyVerdict, Session, Step, TaskProgress } from '@pilothouse/contract';
import type { DecisionWords } from '../ledger/decisions.ts';
import type { StepRow } from '../ledger/steps.ts';
import { isTypedKey, strikeTyped, typedTextsOf } from '../ledger/typed-text.ts';
import type { SessionRow } from '../sessions/session-reads.ts';
import type { TaskRow } from '../tasks/tasks.ts';

/** The progress of a task, in its status and in the event of every change. */
export function progressOf(task: TaskRow): TaskProgress {
  return {
    status: task.status,
    total_steps: task.total_steps,
    current_step: task.current_step,
    current_step_title: task.current_step_title,
    started_at: task.started_at?.toISOString() ?? null,
    finished_at: task.finished_at?.toISOString() ?? null,
    last_error: task.last_error,
    last_updated_at: task.updated_at.toISOString(),
    attempt: task.attempt,
    ...(task.program_id !== null && { driven_by: 'program' }),
  };
}

/** An attempt at a step. */
export function attemptOf(row: StepRow, step: Step): ExecutionStep {
  return {
    step_id: stepIdOf(row.index),
    index: row.index,
    title: titleOf(step),
    action: step.action,
    status: row.status,
    attempts: row.try,
    intent_at: row.intent_at.toISOString(),
    effect_at: row.effect_at?.toISOString() ?? null,
    wait_ms: row.wait_ms,
    run_ms: row.run_ms,
    error: row.error,
    ...policyOf(row),
  };
}

/** The same as a part of the agent's history, with what a model said of the decision that the step belongs to. */
export function historyOf(attempt: StepRow, step: Step, said?: Partial<DecisionWords> | null): AgentHistory {
  return {
    timestamp: (attempt.effect_at ?? attempt.intent_at).toISOString(),
    step_index: attempt.index,
    step_id: stepIdOf(attempt.index),
    title: titleOf(step),
    action: step.action,
    status: attempt.status === 'running' ? 'interrupted' : attempt.status,
    attempts: attempt.try,
    message: attempt.error,
    thinking: said?.thinking ?? null,
    evaluation: said?.evaluation ?? null,
    next_goal: said?.goal ?? null,
    wait_ms: attempt.wait_ms,
    run_ms: attempt.run_ms,
    ...policyOf(attempt),
  };
}

/** Written by an agent, as a verdict. */
const policyOf = ({ policy }: Pick<StepRow, 'policy'>): { policy?: PolicyVerdict } =>
  policy === null ? {} : { policy: policy as PolicyVerdict };

/** The state of a session, as its live stream shows it. */
export const sessionStateOf = ({
  id,
  status,
  browser,
  last_task_id,
}: Pick<SessionRow, keyof SessionState>): SessionState => ({
  id,
  status,
  browser,
  last_task_id,
});
type SessionState = Pick<Session, 'id' | 'status' | 'browser' | 'last_task_id'>;

export const stepIdOf = (index: number): string => `step-${index}`;

/** The title of a step: its own, or a description. Typed text is not in it. */
export function titleOf(step: Step): string {
  // The author of the title may have written the typed text into it.
  if (step.title) return strikeTyped(step.title, typedTextsOf([step]));
  const name = 'target' in step && step.target ? ` ${targetName(step.target)}` : '';
  switch (step.action) {
    case 'navigate':
      return `Open ${withoutCredentials(step.url)}`;
    case 'type':
      return `Type into${name}`;
    case 'press':
      return `Press ${isTypedKey(step.key) ? 'a key' : step.key}`;
    case 'wait':
      return 'secs' in step.for ? `Wait ${step.for.secs} s` : `Wait for "${Object.values(step.for).join(' ')}"`;
    default:
      return `${step.action.charAt(0).toUpperCase()}${step.action.slice(1).replaceAll('_', ' ')}${name}`;
  }
}

const taskTitleLength = 80;

/** The title of a task in lists: its first steps. Of an address only the site, since others may read lists too. */
export function taskTitleOf(steps: readonly Step[]): string {
  const titles = steps.map((step) =>
    step.action === 'navigate' && !step.title ? `Open ${siteOf(step.url)}` : titleOf(step),
  );
  const title = titles.join(', ').replaceAll(/\s+/g, ' ');
  return title.length > taskTitleLength ? `${title.slice(0, taskTitleLength - 1).toWellFormed()}…` : title;
}

/** A URL may contain a user name and a password. */
export function withoutCredentials(url: string): string {
  const parsed = URL.parse(url);
  if (!parsed?.username && !parsed?.password) return url;
  parsed.username = '';
  parsed.password = '';
  return parsed.href;
}

/** For a URL without a host, such as `data:…`, its scheme. */
function siteOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed?.host || parsed?.protocol || url;
}

function targetName(target: Extract<Step, { action: 'click' }>['target']): string {
  if (typeof target === 'string') return `"${target}"`;
  const { frame, within, ...element } = { within: undefined, ...target };
  const place = `${within === undefined ? '' : ` in "${within}"`}${frame === undefined ? '' : ` in frame "${frame}"`}`;
  return `"${Object.values(element).join(' ')}"${place}`;
}
