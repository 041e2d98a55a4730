import type { AgentHistory, ExecutionStep, Session, Step, TaskProgress } from '@pilothouse/contract';
import type { SessionRow } from './sessions.ts';
import type { StepRow } from './steps.ts';
import type { TaskRow } from './tasks.ts';

/** How far a task is, in the words of the interface: what its status shows and what every change of it announces. */
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
  };
}

/** A line of the ledger, in the words of the interface. */
export function ledgerLineOf(row: StepRow, step: Step): ExecutionStep {
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
  };
}

/** What the agent did, in the words of the interface. */
export function historyOf(line: StepRow, step: Step): AgentHistory {
  return {
    timestamp: (line.effect_at ?? line.intent_at).toISOString(),
    step_index: line.index,
    step_id: stepIdOf(line.index),
    title: titleOf(step),
    action: step.action,
    status: line.status === 'running' ? 'interrupted' : line.status,
    attempts: line.try,
    message: line.error,
    thinking: null,
    evaluation: null,
    next_goal: null,
    wait_ms: line.wait_ms,
    run_ms: line.run_ms,
  };
}

/** What the live stream says of a session's state. */
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

/** What a viewer reads: the given title, or the step in plain words. */
export function titleOf(step: Step): string {
  if (step.title) return step.title;
  const name = 'target' in step && step.target ? ` ${targetName(step.target)}` : '';
  switch (step.action) {
    case 'navigate':
      return `Open ${step.url}`;
    case 'type':
      return `Type into${name}`;
    case 'press':
      return `Press ${step.key}`;
    case 'wait':
      return 'secs' in step.for ? `Wait ${step.for.secs} s` : `Wait for "${Object.values(step.for).join(' ')}"`;
    default:
      return `${step.action.charAt(0).toUpperCase()}${step.action.slice(1).replaceAll('_', ' ')}${name}`;
  }
}

const targetName = (target: Extract<Step, { action: 'click' }>['target']): string =>
  typeof target === 'string' ? `"${target}"` : `"${Object.values(target).join(' ')}"`;
