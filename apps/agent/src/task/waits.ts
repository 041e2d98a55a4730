// Steps that wait: for the clock, for the page, or for a person. The ledger says since when, by the database's clock.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Choice, Step } from '@pilothouse/contract';
import { answersOf, type StepRow, type Store, stepIdOf, titleOf } from '@pilothouse/store';
import type { Browsers } from '../browsers/browsers.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Next, Turn } from '../ledger/turn.ts';
import { decidedFailure, refusalOf } from '../policy/retries.ts';
import type { Steps } from './steps.ts';

type Options = { store: Store; browsers: Browsers; ledger: Ledger; steps: Steps };
type WaitStep = Extract<Step, { action: 'wait' }>;
type AskStep = Extract<Step, { action: 'ask' }>;

/** The longest single wait, so that a restart, a cancel or the end of the task's time is noticed soon. */
const sliceMs = 8000;
const leastMs = 300;
/** How long a wait for the page lasts where the plan does not say. */
const defaultSecs = 15;
/** A host reserves a quarter of its deadline, and at most this, for the picture after the wait. */
const pictureMs = 1500;
const endMs = 5000;
/** During a longer wait for the clock, the run ends, and the browser may be given to another session. */
const longMs = 30_000;

export function createWaits({ store, browsers, ledger, steps }: Options) {
  /** A long wait for the clock, without an agent and a browser. Undefined when it is over and needs the browser again. */
  async function waitWithoutBrowser(turn: Turn, totalMs: number, open?: StepRow): Promise<Next | undefined> {
    const attempt = open ?? (await ledger.intendLongWait(turn, await steps.acquire(turn), totalMs));
    const restMs = totalMs - (await store.steps.ageMs(attempt));
    return restMs <= 0 ? undefined : { waitMs: Math.ceil(Math.min(restMs, turn.leftMs)) };
  }

  /** One slice. The attempt stays open over all slices, also those of another agent. */
  async function wait(turn: Turn, step: WaitStep): Promise<Next> {
    const { attempts, session, leftMs, signal } = turn;
    const open = attempts.find(({ status }) => status === 'running');
    const reason = open ? undefined : refusalOf(turn);
    if (reason) return steps.giveUp(turn, reason);
    const isClock = 'secs' in step.for;
    const totalMs = 'secs' in step.for ? step.for.secs * 1000 : (step.timeout_secs ?? defaultSecs) * 1000;
    const away = isClock && totalMs > longMs ? await waitWithoutBrowser(turn, totalMs, open) : undefined;
    if (away) return away;
    const handle = await steps.acquire(turn);
    if (open && open.epoch !== handle.epoch && !isClock) {
      // No agent looked at the page meanwhile, so the wait gets its full time again.
      const error = 'The agent that waited was lost.';
      await ledger.fail(turn, open, { status: 'interrupted', error });
      return 'again';
    }
    const attempt = await ledger.intend(turn, handle, { open });
    // One that has just begun is not asked for its age.
    const restMs = open ? Math.max(0, totalMs - (await store.steps.ageMs(attempt))) : totalMs;
    const ms = Math.min(sliceMs, restMs, leftMs);
    if (isClock) {
      // The clock needs no browser. The host is asked once at the end, for a picture.
      await sleep(ms, undefined, { signal });
      if (ms < restMs || ms === leftMs) return 'again';
    }
    // Each slice is a new command: a wait changes nothing, so no result has to be asked for again.
    const command = { step: sliceOf(step), deadlineMs: deadlineFor(step, ms, leftMs), signal };
    const outcome = await browsers.act(session.id, handle, command);
    if (outcome.type === 'acted') return steps.done(turn, handle, attempt, outcome);
    if (outcome.type === 'lost') {
      if (signal.aborted || !isClock) return steps.browserLost(turn, handle, attempt, outcome);
      // The clock runs on without the browser: the attempt stays open and ends in the next browser.
      const isKept = outcome.isUnheard || outcome.isKept;
      if (!isKept || !(await browsers.holds(session.id, handle))) steps.markLost(handle);
      return 'again';
    }
    if (outcome.failure !== 'timeout') return steps.failed(turn, handle, attempt, outcome);
    if (isClock) {
      // The time has passed, with or without a picture.
      await ledger.succeedWithoutBrowser(turn, attempt);
      return 'again';
    }
    return (await store.steps.ageMs(attempt)) < totalMs ? 'again' : tooLate(turn, attempt, totalMs);
  }

  async function tooLate(turn: Turn, attempt: StepRow, totalMs: number): Promise<Next> {
    const error = `it did not come within ${Math.round(totalMs / 1000)} s`;
    await ledger.fail(turn, attempt, { status: 'failed', error }, `${decidedFailure}: ${error}`);
    if (turn.decision) return 'again';
    return steps.giveUp(turn, `"${titleOf(turn.step)}" failed: ${error}`);
  }

  /** Question and answer are in the task's row, and the answer makes the task due. */
  async function ask(turn: Turn, step: AskStep): Promise<Next> {
    const { task, index, attempts } = turn;
    const open = attempts.find(({ status }) => status === 'running');
    const answer = open && answersOf(task).findLast(({ step_id }) => step_id === stepIdOf(index));
    if (answer) {
      // The answer may be a login code: it is in the conversation and not in the log.
      await ledger.succeedWithoutBrowser(turn, open, answer.text === null ? undefined : 'A person answered.');
      return 'again';
    }
    const { question: text, until = null, kind } = step;
    await ledger.ask(turn, { text, until, kind, ...answersTo(step) }, { isStep: true });
    return 'wait';
  }

  return { wait, ask };
}

/** Words are an answer too: a person may know better than the one who asks. */
function answersTo({ kind, choices = [] }: AskStep): { choices?: Choice[]; takesWords?: boolean } {
  if (kind === 'choice') return { choices: choices.map((value) => ({ value, label: value })), takesWords: true };
  return kind === 'yes_no' ? { choices: yesOrNo, takesWords: true } : {};
}
const yesOrNo: Choice[] = [
  { value: 'yes', label: 'Yes' },
  { value: 'no', label: 'No' },
];

/** The step for the host, without the time limit of the whole wait. */
const sliceOf = ({ timeout_secs: _, ...step }: WaitStep): WaitStep =>
  'secs' in step.for ? { ...step, for: { secs: 0 } } : step;

function deadlineFor(step: WaitStep, ms: number, leftMs: number): number {
  const isClock = 'secs' in step.for;
  const wantedMs = isClock ? endMs : Math.max(leastMs, ms + Math.min(pictureMs, ms / 3));
  return Math.max(1, Math.ceil(Math.min(wantedMs, isClock ? leftMs - ms : leftMs)));
}
