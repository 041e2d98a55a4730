import { setTimeout as sleep } from 'node:timers/promises';
import type { Failure } from '@pilothouse/bus';
import type { Step } from '@pilothouse/contract';
import type { Log } from '@pilothouse/process';
import { type StepRow, type Store, titleOf } from '@pilothouse/store';
import { createDialogs, unanswered } from './dialogs.ts';
import { doubtOf, doubtQuestion } from './doubt.ts';
import type { Files } from './files.ts';
import type { Grip, Hands, Outcome } from './hands.ts';
import type { Record } from './record.ts';
import { type Next, Replaced, type Turn } from './turn.ts';

type Parts = { store: Store; hands: Hands; record: Record; files: Files; log: Log };
type Failed = Extract<Outcome, { type: 'failed' }>;
type Lost = Extract<Outcome, { type: 'lost' }>;

const triesThatFail = 3;
const triesThatAreCut = 5;
const firstPauseMs = 500;
const ensureMs = 60_000;
const askAgainMs = 300;
/** What the first try gets, and the others: what was not there for so long rarely comes. */
const patienceMs = { first: 10_000, later: 5000, loading: 15_000 };

/** A page that changes may do better the next time; a file that is too large does not. */
const worthAnother = new Set<Failure>([
  'not_found',
  'ambiguous',
  'covered',
  'timeout',
  'navigation_failed',
  'dialog_open',
  'wrong_value',
]);
const loading = new Set<Step['action']>(['navigate', 'back', 'forward', 'reload', 'new_page', 'download']);

/** Has the steps of one run done: each try is written down before it, and what came of it after. */
export function createSteps({ store, hands, record, files, log }: Parts) {
  const dialogs = createDialogs({ hands, record });
  /** The epoch under which the browser was found to be gone. */
  let lost: number | undefined;

  async function grasp({ task, executionId, session, leftMs, signal }: Turn): Promise<Grip> {
    const within = AbortSignal.any([signal, AbortSignal.timeout(Math.min(ensureMs, leftMs))]);
    const grip = await hands.ensure(session, { lost, signal: within });
    // The epoch may be that of a person who has just taken the wheel.
    if (!(await store.tasks.isHeld(task.id, executionId))) throw new Replaced();
    lost = undefined;
    return grip;
  }

  async function giveUp({ task, executionId }: Turn, reason: string): Promise<Next> {
    const held = { id: task.id, sessionId: task.session_id, executionId };
    if (!(await record.end({ ...held, isAtWork: true }, { move: 'fail', reason }))) throw new Replaced();
    return 'done';
  }

  /** Before a new try: whether there may be one. */
  function refusal(turn: Turn): string | undefined {
    const { tries, triesOfAll, settings, step } = turn;
    if (triesOfAll >= settings.max_steps) return `The task has used its max_steps of ${settings.max_steps} tries.`;
    const count = (status: StepRow['status']) => tries.filter((line) => line.status === status).length;
    const last = tries.at(-1);
    if (step.irreversible && last?.status === 'failed' && last.may_have_acted) return onceOnly(turn, last.error ?? '');
    if (count('failed') >= triesThatFail) return failedFor(turn, last?.error ?? '', count('failed'));
    if (count('interrupted') >= triesThatAreCut)
      return `"${titleOf(step)}" was interrupted ${count('interrupted')} times; the last time: ${last?.error}`;
    return undefined;
  }

  async function done(turn: Turn, grip: Grip, line: StepRow, outcome: Extract<Outcome, { type: 'acted' }>) {
    const { acted, image } = outcome;
    const { task, signal } = turn;
    const file = acted.file ? await files.fetch({ task, grip, signal }, acted.file) : null;
    if (acted.file && !file) {
      const error = 'The file was downloaded, and then could not be fetched from the browser.';
      return failed(turn, grip, line, { type: 'failed', failure: 'timeout', message: error, hasTouched: true });
    }
    // The try may have been begun under an older epoch than the one we hold now.
    await record.success(turn, { ...line, epoch: grip.epoch }, { acted, image, file });
    if (acted.dialog?.kind === 'alert' && !dialogs.isAnsweredNext(turn)) await dialogs.clear(turn, grip);
    return 'again';
  }

  async function failed(
    turn: Turn,
    grip: Grip,
    line: StepRow,
    { failure, message, hasTouched }: Failed,
  ): Promise<Next> {
    const { step, tries, signal } = turn;
    const dialog = failure === 'dialog_open' ? await dialogs.clear(turn, grip) : null;
    if (dialog && step.action === 'wait' && dialogs.isAnsweredNext(turn)) {
      await record.settled(turn, line, `The page asks: ${dialog.message}`);
      return 'again';
    }
    const error = dialog ? unanswered(dialog) : message;
    await record.failure(turn, line, { status: 'failed', error, mayHaveActed: hasTouched });
    if (hasTouched && step.irreversible) return giveUp(turn, onceOnly(turn, error));
    const count = tries.filter(({ status }) => status === 'failed').length + 1;
    if (dialog || !worthAnother.has(failure) || count >= triesThatFail)
      return giveUp(turn, failedFor(turn, error, count));
    await sleep(firstPauseMs * 2 ** (count - 1), undefined, { signal });
    return 'again';
  }

  /** A browser that is gone, or in other hands. */
  async function cut(turn: Turn, grip: Grip, line: StepRow, { reason, mayHaveActed, isUnheard }: Lost): Promise<Next> {
    const { session, signal, task } = turn;
    if (signal.aborted) {
      await hands.cut(session.id, grip);
      throw new Replaced();
    }
    if (isUnheard && (await hands.holds(session.id, grip))) {
      // Only the answer was lost: the next tick asks for it under the same command id, and nothing is done twice.
      await sleep(askAgainMs, undefined, { signal });
      return 'again';
    }
    log.warn({ task_id: task.id, host_id: grip.hostId, reason }, 'the browser was lost');
    lost = grip.epoch;
    const error = `The browser was lost (${reason}).`;
    await record.failure(turn, line, { status: 'interrupted', error, mayHaveActed });
    return 'again';
  }

  /** A try that somebody left open under another epoch: whoever has the browser now may know what came of it. */
  async function settle(turn: Turn, grip: Grip, open: StepRow): Promise<Next> {
    const { session } = turn;
    // First what is under way there may end; then nothing more of it is taken, however late it comes.
    const ended = await hands.answerOf(session.id, grip, open.command_id);
    const isTaken = await hands.take(session.id, grip);
    const known = ended ?? (await hands.answerOf(session.id, grip, open.command_id));
    if (known?.type === 'acted') {
      // What it brought is of then, and somebody may have driven since: what would bring the browser back is asked for anew.
      const state = await hands.stateOf(session.id, grip, turn.signal);
      return done(turn, grip, open, { ...known, acted: { ...known.acted, state } });
    }
    if (known?.type === 'failed') return failed(turn, grip, open, known);
    // The browser it was meant for is still the same, and never heard of it: now it never will.
    const isUnheard = !known && isTaken && open.epoch >= grip.openedEpoch;
    const unknown = isUnheard ? 'The agent was lost before it was done.' : 'The browser was lost while this was done.';
    const error = known ? `It was cut short (${known.reason}).` : unknown;
    const mayHaveActed = known?.mayHaveActed ?? !isUnheard;
    await record.failure(turn, open, { status: 'interrupted', error, mayHaveActed });
    return 'again';
  }

  async function decide(turn: Turn): Promise<Next | undefined> {
    switch (doubtOf(turn)) {
      case 'ask':
        await record.ask(turn, { text: doubtQuestion(turn, turn.tries.at(-1)), until: null }, { isStep: false });
        return 'wait';
      case 'stop':
        return giveUp(turn, `"${titleOf(turn.step)}" may or may not have been done, and a person stopped the task.`);
      case 'done':
        await record.settled(turn, undefined, 'Taken as done, on the word of a person.');
        return 'again';
      case 'none':
        return undefined;
    }
  }

  return {
    grasp,
    giveUp,
    done,
    failed,
    cut,
    refusal,
    /** The browser is not to be had under this epoch any more. */
    lose: ({ epoch }: Grip) => {
      lost = epoch;
    },

    async run(turn: Turn): Promise<Next> {
      const { session, step, tries, task, leftMs, signal } = turn;
      const open = tries.find(({ status }) => status === 'running');
      if (!open) {
        const decided = await decide(turn);
        if (decided) return decided;
        const reason = refusal(turn);
        if (reason) return giveUp(turn, reason);
      }
      const grip = await grasp(turn);
      if (open && open.epoch !== grip.epoch) return settle(turn, grip, open);
      const line = await record.intend(turn, grip, open);
      const sent = step.action === 'upload' ? await files.send({ task, grip, signal }, step.file) : undefined;
      if (sent?.type === 'failed') return failed(turn, grip, line, sent);
      if (sent) return cut(turn, grip, line, open ? { ...sent, mayHaveActed: true } : sent);
      const deadlineMs = Math.max(1, Math.min(leftMs, patienceFor(step, tries.length)));
      const { command_id: commandId } = line;
      const outcome = await hands.act(session.id, grip, { commandId, step, deadlineMs, signal });
      if (outcome.type === 'acted') return done(turn, grip, line, outcome);
      if (outcome.type === 'failed') return failed(turn, grip, line, outcome);
      // What was sent by an agent before us may have arrived, whatever became of what we sent.
      return cut(turn, grip, line, open ? { ...outcome, mayHaveActed: true } : outcome);
    },
  };
}
export type Steps = ReturnType<typeof createSteps>;

const patienceFor = ({ action }: Step, tries: number) =>
  loading.has(action) ? patienceMs.loading : tries === 0 ? patienceMs.first : patienceMs.later;

const failedFor = ({ step }: Turn, error: string, count: number): string =>
  `"${titleOf(step)}" failed${count > 1 ? ` ${count} times` : ''}: ${error}`;

const onceOnly = ({ step }: Turn, error: string): string =>
  `"${titleOf(step)}" failed after it had touched the page: ${error}. It cannot be undone, so it was not repeated.`;
