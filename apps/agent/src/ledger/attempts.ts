// Begins and ends one attempt of a step in the caller's transaction, with its events and its line in the log.

import {
  type Append,
  attemptOf,
  type DecisionRow,
  historyOf,
  newId,
  progressOf,
  type StepRow,
  type Store,
  type Tx,
  titleOf,
} from '@pilothouse/store';
import { type HeldTask, heldStepOf } from './held-task.ts';
import { TaskNotHeld, type Turn } from './turn.ts';

export type Effect = Parameters<Store['steps']['end']>[3];
/** The browser that an attempt is made in. */
type AttemptBrowser = { epoch: number; hostId?: string; approvalId?: string };

export function createAttempts({ store, heldTask: { say, noteEnd } }: { store: Store; heldTask: HeldTask }) {
  /** The model knows everything that people said and did. */
  async function isCurrent(tx: Tx, { task }: Turn, { number }: DecisionRow): Promise<boolean> {
    const newest = await store.decisions.newest(task.id, tx);
    return newest?.number === number && newest.status === 'open' && !newest.has_new_messages && !newest.was_driven;
  }

  async function begin(tx: Tx, append: Append, turn: Turn, browser: AttemptBrowser): Promise<StepRow> {
    const { task, index, step, steps, decision } = turn;
    // The session is locked: a message of a person comes before this step, or after it has begun.
    if (decision && !(await isCurrent(tx, turn, decision))) throw new TaskNotHeld();
    const begun = await store.steps.begin(tx, heldStepOf(turn), { commandId: newId(), ...browser });
    if (!begun) throw new TaskNotHeld();
    const { attempt, task: held } = begun;
    const taskId = task.id;
    await append({ taskId, kind: 'status', data: { status: progressOf(held) } });
    await append({ taskId, kind: 'step', data: { step: attemptOf(attempt, step) } });
    const again = attempt.try > 1 ? ` (attempt ${attempt.try})` : '';
    const place = decision ? `Step ${index}` : `Step ${index} of ${steps.length}`;
    await say(append, turn, `${place}: ${titleOf(step)}${again}`);
    return attempt;
  }

  async function end(tx: Tx, append: Append, turn: Turn, attempt: StepRow, effect: Effect): Promise<void> {
    const ended = await store.steps.end(tx, heldStepOf(turn), attempt.try, effect);
    if (!ended) throw new TaskNotHeld();
    noteEnd(turn, ended);
    const taskId = turn.task.id;
    await append({ taskId, kind: 'step', data: { step: attemptOf(ended, turn.step) } });
    await append({
      taskId,
      kind: 'agent_history',
      data: { agent_history: historyOf(ended, turn.step, turn.decision) },
    });
    const title = titleOf(turn.step);
    if (effect.status === 'success') await say(append, turn, `Done: ${title}`);
    else await say(append, turn, `${title}: ${effect.error}`, 'warn');
  }

  return { begin, end };
}
export type Attempts = ReturnType<typeof createAttempts>;
