// Decides whether a step may have another attempt, and how long an attempt may take. Reads the ledger's rows, writes nothing.

import type { Failure } from '@pilothouse/bus';
import type { PolicyVerdict, Step } from '@pilothouse/contract';
import { type StepRow, titleOf } from '@pilothouse/store';
import type { Turn } from '../ledger/turn.ts';
import { isOnceOnly } from './irreversible.ts';

const maxFailures = 3;
const maxInterruptions = 5;
const firstPauseMs = 500;
/** Later attempts get less: an element that did not appear in the first rarely comes. */
const attemptMs = { first: 10_000, later: 5000, loading: 15_000 };

/** Failures after which another attempt may succeed, because the page may change. */
const worthRetrying = new Set<Failure>([
  'not_found',
  'ambiguous',
  'covered',
  'timeout',
  'navigation_failed',
  'dialog_open',
  'wrong_value',
]);
/** Of a step that a model decided. */
const maxDecidedFailures = 2;
/** Failures that a moment may end. */
const passing = new Set<Failure>(['covered', 'timeout', 'navigation_failed']);
/** Begins the reason of a decision that ended because a step of it failed. */
export const decidedFailure = 'A step failed';
const loading = new Set<Step['action']>(['navigate', 'back', 'forward', 'reload', 'new_page', 'download']);

/** It ended without an act because a person was asked, which may happen often. */
const hasAsked = ({ status, policy }: StepRow): boolean =>
  status === 'failed' && (policy as PolicyVerdict | null)?.outcome === 'ask';

/** Before a new attempt: why there may be none. */
export function refusalOf(turn: Turn): string | undefined {
  const { attempts, attemptsOfTask, settings, step } = turn;
  if (attemptsOfTask >= settings.max_steps) return `The task has used its max_steps of ${settings.max_steps} attempts.`;
  const count = (status: StepRow['status']) =>
    attempts.filter((attempt) => attempt.status === status && !hasAsked(attempt)).length;
  const last = attempts.at(-1);
  if (isOnceOnly(turn) && last?.status === 'failed' && last.may_have_acted) return onceOnly(turn, last.error ?? '');
  if (count('failed') >= maxFailures) return failedFor(turn, last?.error ?? '', count('failed'));
  if (count('interrupted') >= maxInterruptions)
    return `"${titleOf(step)}" was interrupted ${count('interrupted')} times; the last time: ${last?.error}`;
  return undefined;
}

/** After a failed attempt: ends the task with a reason, or allows another attempt after a pause. */
export function afterFailure(
  turn: Turn,
  { failure, error, hasTouched, isUnanswered }: FailedAttempt,
): { giveUp: string } | { pauseMs: number } {
  if (hasTouched && isOnceOnly(turn)) return { giveUp: onceOnly(turn, error) };
  const count = turn.attempts.filter(({ status }) => status === 'failed').length + 1;
  if (isUnanswered || !worthRetrying.has(failure) || count >= maxFailures)
    return { giveUp: failedFor(turn, error, count) };
  return { pauseMs: firstPauseMs * 2 ** (count - 1) };
}
/** After a failed attempt at a step that a model decided: the step gets one more attempt, or the model decides again. */
export function afterDecidedFailure(
  turn: Turn,
  { failure, error, hasTouched }: Omit<FailedAttempt, 'isUnanswered'>,
): { cut: string } | { pauseMs: number } {
  const count = turn.attempts.filter(({ status }) => status === 'failed').length + 1;
  const mayPass = passing.has(failure) && count < maxDecidedFailures && !(hasTouched && isOnceOnly(turn));
  return mayPass ? { pauseMs: firstPauseMs } : { cut: `${decidedFailure}: ${error}` };
}

/** With `isUnanswered`, the page asks something that no step of the plan answers. */
type FailedAttempt = { failure: Failure; error: string; hasTouched: boolean; isUnanswered: boolean };

export const attemptMsFor = ({ action }: Step, attempts: number): number =>
  loading.has(action) ? attemptMs.loading : attempts === 0 ? attemptMs.first : attemptMs.later;

const failedFor = ({ step }: Turn, error: string, count: number): string =>
  `"${titleOf(step)}" failed${count > 1 ? ` ${count} times` : ''}: ${error}`;

const onceOnly = ({ step }: Turn, error: string): string =>
  `"${titleOf(step)}" failed after it had touched the page: ${error}. It cannot be undone, so it was not repeated.`;
