// Runs one step of a task: the attempt is in the ledger before the host is asked, and its result after it.

import type { Policy } from '@pilothouse/contract';
import { type Log, span } from '@pilothouse/process';
import { type Store, titleOf } from '@pilothouse/store';
import type { Browsers } from '../browsers/browsers.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Next, Turn } from '../ledger/turn.ts';
import { onlyIfOf } from '../planner/actions.ts';
import { decideIrreversible, irreversibleQuestion } from '../policy/irreversible.ts';
import { attemptMsFor, refusalOf } from '../policy/retries.ts';
import { createTaskGates } from '../policy/task-gate.ts';
import { createApprovals } from './approvals.ts';
import { createBrowserAccess } from './browser-access.ts';
import { createDialogs } from './dialogs.ts';
import { createDoneStep } from './done-step.ts';
import { createFailedStep } from './failed-step.ts';
import type { Files } from './files.ts';
import { createOpenAttempt } from './open-attempt.ts';
import { createOpenSecret } from './typed-secret.ts';

const filledAgain = 'The browser was opened again: what was filled into the page is filled in again.';
const notTyped = { type: 'failed', failure: 'unsupported' } as const;

type Options = {
  store: Store;
  browsers: Browsers;
  ledger: Ledger;
  files: Files;
  log: Log;
  /** What the installation demands of every task. */
  installation?: Policy;
};

export function createSteps({ store, browsers, ledger, files, log, installation }: Options) {
  const gates = createTaskGates({ store, installation });
  const approvals = createApprovals({ store, ledger });
  const dialogs = createDialogs({ browsers, ledger });
  const access = createBrowserAccess({ store, browsers });
  const { giveUp, failed, browserLost } = createFailedStep({ browsers, ledger, access, dialogs, approvals, log });
  const { done } = createDoneStep({ ledger, files, dialogs, failed });
  const openSecret = createOpenSecret({ store });
  const { settle } = createOpenAttempt({ browsers, ledger, done, failed });

  /** Only a hint: a page may go on to another address by itself. */
  let lastUrl: string | undefined;

  async function decide(turn: Turn): Promise<Next | undefined> {
    switch (decideIrreversible(turn)) {
      case 'ask':
        await ledger.ask(turn, irreversibleQuestion(turn, turn.attempts.at(-1)), { isStep: false });
        return 'wait';
      case 'stop':
        return giveUp(turn, `"${titleOf(turn.step)}" may or may not have been done, and a person stopped the task.`);
      case 'done':
        await ledger.succeedWithoutBrowser(turn, undefined, 'A person says that it was done.');
        return 'again';
      case 'none':
        return undefined;
    }
  }

  async function run(turn: Turn): Promise<Next> {
    const { session, step, attempts, task, leftMs, signal } = turn;
    const open = attempts.find(({ status }) => status === 'running');
    if (!open) {
      const decided = await decide(turn);
      if (decided) return decided;
      const reason = refusalOf(turn);
      if (reason) return giveUp(turn, reason);
    }
    const policy = await gates.of(turn);
    if (policy.no && !open) return approvals.saidNo(turn, policy.no, giveUp);
    // An attempt that is under way can only be asked for where it was begun.
    const handle = await access.acquire(turn, { mayMove: !open });
    if (open && open.epoch !== handle.epoch) return settle(turn, handle, open);
    if (turn.isRefill && attempts.length === 0) await ledger.note(turn, filledAgain);
    const attempt = await span('ledger.write', { kind: 'intent' }, () =>
      ledger.intend(turn, handle, { open, yes: policy.yes }),
    );
    const sent = step.action === 'upload' ? await files.send({ task, handle, signal }, step.file) : undefined;
    if (sent?.type === 'failed') return failed(turn, handle, attempt, sent);
    if (sent) return browserLost(turn, handle, attempt, open ? { ...sent, mayHaveActed: true } : sent);
    const deadlineMs = Math.max(1, Math.min(leftMs, attemptMsFor(step, attempts.length)));
    const { command_id: commandId } = attempt;
    const onlyIf = turn.decision && onlyIfOf(turn.decision, turn.index);
    // As late as possible: only this command has the value.
    const { secret, refused } = await openSecret(turn);
    if (refused !== undefined)
      return failed(turn, handle, attempt, { ...notTyped, message: refused, hasTouched: !!open });
    const gate = await policy.forAttempt(attempt);
    const mayShowSecrets = turn.standing.hasTypedSecrets;
    const command = { commandId, step, onlyIf, gate, secret, mayShowSecrets, deadlineMs, signal };
    const outcome = await browsers.act(session.id, handle, command);
    if (outcome.type === 'acted') {
      lastUrl = outcome.acted.after.url;
      return done(turn, handle, attempt, outcome);
    }
    if (outcome.type === 'failed') return failed(turn, handle, attempt, outcome);
    // An open attempt was sent before, by this agent or another: that command may have acted, whatever this answer says.
    return browserLost(turn, handle, attempt, open ? { ...outcome, mayHaveActed: true } : outcome);
  }

  return { ...access, gates, giveUp, done, failed, browserLost, run, lastUrl: () => lastUrl };
}
export type Steps = ReturnType<typeof createSteps>;
