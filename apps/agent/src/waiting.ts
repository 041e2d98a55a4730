import { setTimeout as sleep } from 'node:timers/promises';
import type { Step } from '@pilothouse/contract';
import { answersOf, type StepRow, type Store, stepIdOf, titleOf } from '@pilothouse/store';
import type { Hands } from './hands.ts';
import type { Record } from './record.ts';
import type { Steps } from './step.ts';
import type { Next, Turn } from './turn.ts';

type Parts = { store: Store; hands: Hands; record: Record; steps: Steps };
type WaitStep = Extract<Step, { action: 'wait' }>;
type AskStep = Extract<Step, { action: 'ask' }>;

/** The longest single wait: whoever restarts, cancels or runs out of time is not held up for longer. */
const sliceMs = 8000;
const leastMs = 300;
/** What a wait for something to come gets where the plan does not say. */
const usualSecs = 15;
/** A host keeps a quarter of the time it is given, and at most so much, for the picture after the wait. */
const pictureMs = 1500;
const endMs = 5000;

/** Steps that wait: for the clock, for the page, or for a person. Since when they do is in the ledger, by its clock. */
export function createWaiting({ store, hands, record, steps }: Parts) {
  /** In slices, and cut short by nothing but the end of the run: the ledger says when it began. */
  async function wait(turn: Turn, step: WaitStep): Promise<Next> {
    const { tries, session, leftMs, signal } = turn;
    const open = tries.find(({ status }) => status === 'running');
    const reason = open ? undefined : steps.refusal(turn);
    if (reason) return steps.giveUp(turn, reason);
    const grip = await steps.grasp(turn);
    const isClock = 'secs' in step.for;
    if (open && open.epoch !== grip.epoch && !isClock) {
      // Nobody looked meanwhile: what is waited for gets its whole time again.
      const error = 'Whoever waited was lost.';
      await record.failure(turn, open, { status: 'interrupted', error });
      return 'again';
    }
    const line = await record.intend(turn, grip, open);
    const totalMs = 'secs' in step.for ? step.for.secs * 1000 : (step.timeout_secs ?? usualSecs) * 1000;
    const restMs = Math.max(0, totalMs - (await store.steps.ageMs(line)));
    const ms = Math.min(sliceMs, restMs, leftMs);
    if (isClock) {
      // The clock needs no browser; it is asked at the end, for what it shows then.
      await sleep(ms, undefined, { signal });
      if (ms < restMs || ms === leftMs) return 'again';
    }
    // Each slice is a command of its own: a wait touches nothing, so none has to be known again.
    const command = { step: sliceOf(step), deadlineMs: deadlineFor(step, ms, leftMs), signal };
    const outcome = await hands.act(session.id, grip, command);
    if (outcome.type === 'acted') return steps.done(turn, grip, line, outcome);
    if (outcome.type === 'lost') {
      if (signal.aborted || !isClock) return steps.cut(turn, grip, line, outcome);
      // The clock is not lost with the browser: its line stays open, and it goes on in the next one.
      if (!outcome.isUnheard || !(await hands.holds(session.id, grip))) steps.lose(grip);
      return 'again';
    }
    if (outcome.failure !== 'timeout') return steps.failed(turn, grip, line, outcome);
    if (isClock) {
      // The time has passed, whether or not the page can be looked at.
      await record.settled(turn, line);
      return 'again';
    }
    return (await store.steps.ageMs(line)) < totalMs ? 'again' : tooLate(turn, line, totalMs);
  }

  async function tooLate(turn: Turn, line: StepRow, totalMs: number): Promise<Next> {
    const error = `it did not come within ${Math.round(totalMs / 1000)} s`;
    await record.failure(turn, line, { status: 'failed', error });
    return steps.giveUp(turn, `"${titleOf(turn.step)}" failed: ${error}`);
  }

  /** The question stands in the row, and the answer comes into it: whoever wakes us says nothing else. */
  async function ask(turn: Turn, { question, until }: AskStep): Promise<Next> {
    const { task, index, tries } = turn;
    const open = tries.find(({ status }) => status === 'running');
    const answer = open && answersOf(task).findLast(({ step_id }) => step_id === stepIdOf(index));
    if (answer) {
      await record.settled(turn, open, answer.text === null ? undefined : `Answered: ${answer.text}`);
      return 'again';
    }
    await record.ask(turn, { text: question, until: until ?? null }, { isStep: true });
    return 'wait';
  }

  return { wait, ask };
}

/** What the host is asked for: how long in all is ours to know. */
const sliceOf = ({ timeout_secs: _, ...step }: WaitStep): WaitStep =>
  'secs' in step.for ? { ...step, for: { secs: 0 } } : step;

function deadlineFor(step: WaitStep, ms: number, leftMs: number): number {
  const isClock = 'secs' in step.for;
  const wantedMs = isClock ? endMs : Math.max(leastMs, ms + Math.min(pictureMs, ms / 3));
  return Math.max(1, Math.ceil(Math.min(wantedMs, isClock ? leftMs - ms : leftMs)));
}
