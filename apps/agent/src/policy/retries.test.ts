import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Failure } from '@pilothouse/bus';
import type { StepRow } from '@pilothouse/store';
import type { Turn } from '../ledger/turn.ts';
import { afterFailure } from './retries.ts';

/** Whether another attempt may help. A new failure has to be put here, or this does not compile. */
const isTriedAgain: Record<Failure, boolean> = {
  not_found: true,
  ambiguous: true,
  covered: true,
  timeout: true,
  navigation_failed: true,
  dialog_open: true,
  wrong_value: true,
  blocked_by_guard: false,
  crashed: false,
  stale_epoch: false,
  changed: false,
  needs_yes: false,
  needs_watcher: false,
  refused: false,
  focus_taken: false,
  site_changed: false,
  too_large: false,
  unknown_command: false,
  no_session: false,
  no_lease: false,
  full: false,
  unsupported: false,
};

const turnOf = (failures: number, { irreversible = false } = {}) =>
  ({
    step: { action: 'click', target: 'Buy', irreversible },
    attempts: Array.from({ length: failures }, () => ({ status: 'failed' }) as StepRow),
  }) as Turn;
const failedAttempt = (failure: Failure, more: { hasTouched?: boolean; isUnanswered?: boolean } = {}) => ({
  failure,
  error: 'why',
  hasTouched: false,
  isUnanswered: false,
  ...more,
});

describe('after a failed attempt', () => {
  for (const failure of Failure.options)
    it(`"${failure}" is ${isTriedAgain[failure] ? 'tried again' : 'not tried again'}`, () => {
      const next = afterFailure(turnOf(0), failedAttempt(failure));
      assert.deepEqual(next, isTriedAgain[failure] ? { pauseMs: 500 } : { giveUp: '"Click "Buy"" failed: why' });
    });

  it('the pause before another attempt doubles', () =>
    assert.deepEqual(afterFailure(turnOf(1), failedAttempt('covered')), { pauseMs: 1000 }));

  it('the third failure is the last', () =>
    assert.deepEqual(afterFailure(turnOf(2), failedAttempt('covered')), {
      giveUp: '"Click "Buy"" failed 3 times: why',
    }));

  it('a question of the page that no step answers is not tried again', () =>
    assert.ok('giveUp' in afterFailure(turnOf(0), failedAttempt('dialog_open', { isUnanswered: true }))));

  it('a step that touched the page and can be undone is tried again', () =>
    assert.ok('pauseMs' in afterFailure(turnOf(0), failedAttempt('timeout', { hasTouched: true }))));

  it('an irreversible step that touched the page is never tried again', () =>
    assert.ok(
      'giveUp' in afterFailure(turnOf(0, { irreversible: true }), failedAttempt('timeout', { hasTouched: true })),
    ));
});
