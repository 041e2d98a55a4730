import type { Acted } from '@pilothouse/bus';
import type { Condition, LogLevel, Step, TaskResult } from '@pilothouse/contract';
import {
  type Append,
  historyOf,
  ledgerLineOf,
  messageStateOf,
  newId,
  progressOf,
  type StepRow,
  type Store,
  sessionStateOf,
  stepIdOf,
  type TaskRow,
  type Tx,
  titleOf,
} from '@pilothouse/store';
import { createEvidence, type Evidence } from './evidence.ts';
import type { Grip } from './hands.ts';
import { Replaced, type Turn } from './turn.ts';

type Options = { store: Store; questionSecs: number };
type Asked = { text: string; until: Condition | null };
/** With `unanswered`, only while the question that was asked then stands; with `isAtWork`, not where a person has it. */
type Ending = { id: string; sessionId: string; executionId: string; unanswered?: string; isAtWork?: boolean };
type End = { move: 'finish'; result: TaskResult } | { move: 'fail'; reason: string };

/** Writes down what is about to happen and what came of it: ledger, evidence, log and events, each in one transaction. */
export function createRecord({ store, questionSecs }: Options) {
  const evidence = createEvidence(store);

  /** Locks the session, and goes on only while this execution has the task. */
  const holding = <T>(turn: Turn, work: (tx: Tx, append: Append, held: TaskRow) => Promise<T>): Promise<T> =>
    store.change(turn.task.session_id, async (tx, append) => {
      const { task, executionId, index, step } = turn;
      const held = await store.tasks.setStep(tx, { id: task.id, executionId }, index, titleOf(step));
      // Another agent has the task by now, or it is over: nothing of this is ours to say.
      if (!held) throw new Replaced();
      return work(tx, append, held);
    });

  const say = (tx: Tx, append: Append, { task, index }: Turn, message: string, level: LogLevel = 'info') =>
    store.logs.append(tx, append, { taskId: task.id, level, message, stepId: stepIdOf(index) });

  async function begin(tx: Tx, append: Append, turn: Turn, held: TaskRow, epoch: number): Promise<StepRow> {
    const { task, index, executionId, step, steps } = turn;
    const taskId = task.id;
    const line = await store.steps.begin(tx, { taskId, index, executionId, commandId: newId(), epoch });
    await append({ taskId, kind: 'status', data: { status: progressOf(held) } });
    await append({ taskId, kind: 'step', data: { step: ledgerLineOf(line, step) } });
    const again = line.try > 1 ? ` (try ${line.try})` : '';
    await say(tx, append, turn, `Step ${index} of ${steps.length}: ${titleOf(step)}${again}`);
    return line;
  }

  async function end(tx: Tx, append: Append, turn: Turn, line: StepRow, effect: Effect): Promise<void> {
    const ended = await store.steps.end(tx, line, effect);
    if (!ended) throw new Replaced();
    const taskId = turn.task.id;
    await append({ taskId, kind: 'step', data: { step: ledgerLineOf(ended, turn.step) } });
    await append({ taskId, kind: 'agent_history', data: { agent_history: historyOf(ended, turn.step) } });
    const title = titleOf(turn.step);
    if (effect.status === 'success') {
      await store.tasks.setFruitful(tx, taskId);
      await say(tx, append, turn, `Done: ${title}`);
    } else await say(tx, append, turn, `${title}: ${effect.error}`, 'warn');
  }

  const tellMessages = async (tx: Tx, append: Append, task: TaskRow) => {
    const message_state = messageStateOf(task, await store.steps.of(task.id, tx));
    await append({ taskId: task.id, kind: 'message_state', data: { message_state } });
  };

  async function putDown(turn: Turn, acted: Acted, image: Uint8Array): Promise<Evidence['picture']> {
    if (!acted.picture) return null;
    const id = newId();
    const blobKey = `sessions/${turn.task.session_id}/${id}.${acted.picture.content_type.slice('image/'.length)}`;
    await store.blobs.put(blobKey, image);
    return { id, blobKey, byteLen: image.length };
  }

  return {
    /** The intent, written before the act. A try that is still open is taken up as it is. */
    intend: (turn: Turn, { hostId, epoch }: Grip, open?: StepRow): Promise<StepRow> =>
      holding(turn, async (tx, append, held) => {
        await store.tasks.setHost(tx, turn.executionId, hostId);
        return open ?? begin(tx, append, turn, held, epoch);
      }),

    /** What was meant is done. */
    async success(turn: Turn, line: StepRow, done: { acted: Acted; image: Uint8Array; file: Evidence['file'] }) {
      const { acted, image, file } = done;
      // Before the transaction: a picture that nobody points to does no harm, a pointer to nothing would.
      const picture = await putDown(turn, acted, image);
      const { task, step } = turn;
      const kept = holding(turn, async (tx, append) => {
        await end(tx, append, turn, line, { status: 'success', waitMs: acted.wait_ms, runMs: acted.run_ms });
        await evidence.add(tx, append, { task, line, step }, { acted, picture, file });
        if (acted.state) await store.browsers.saveState(tx, task.session_id, line.epoch, acted.state);
      });
      await kept.catch(async (error) => {
        if (picture && error instanceof Replaced) await store.blobs.removeAll(picture.blobKey);
        throw error;
      });
    },

    /** Done without a browser's word: a person's, or the clock's. */
    settled: (turn: Turn, open: StepRow | undefined, note?: string) =>
      holding(turn, async (tx, append, held) => {
        const line = open ?? (await begin(tx, append, turn, held, turn.tries.at(-1)?.epoch ?? 0));
        if (note) await say(tx, append, turn, note);
        await end(tx, append, turn, line, { status: 'success' });
      }),

    /** A try that came to nothing. */
    failure: (turn: Turn, line: StepRow, effect: Effect & { status: 'failed' | 'interrupted' }) =>
      holding(turn, (tx, append) => end(tx, append, turn, line, effect)),

    note: (turn: Turn, message: string, level: LogLevel = 'info') =>
      holding(turn, (tx, append) => say(tx, append, turn, message, level)),

    /** Hands the task to a person. With `isStep` the asking is the step itself, and has a line in the ledger. */
    ask: (turn: Turn, { text, until }: Asked, { isStep }: { isStep: boolean }) =>
      holding(turn, async (tx, append, held) => {
        const isOpen = turn.tries.some(({ status }) => status === 'running');
        if (isStep && !isOpen) await begin(tx, append, turn, held, 0);
        const { task, executionId, index } = turn;
        const question = { text, stepId: stepIdOf(index), expiresInSecs: questionSecs };
        const asked = await store.questions.ask(tx, { id: task.id, executionId }, question, until);
        if (!asked) throw new Replaced();
        await say(tx, append, turn, `Asked: ${text}`);
        await append({ taskId: task.id, kind: 'status', data: { status: progressOf(asked) } });
        await tellMessages(tx, append, asked);
      }),

    /** The page showed what a person was waited for. Nothing, where the question no longer stands. */
    async shown(
      { id, sessionId, executionId, askedAt }: { id: string; sessionId: string; executionId: string; askedAt: string },
      also: (tx: Tx) => Promise<void>,
    ): Promise<void> {
      await store.change(sessionId, async (tx, append) => {
        const task = await store.questions.answered(tx, { id, executionId, askedAt });
        if (!task) return;
        const message = 'The page shows what was waited for.';
        await store.logs.append(tx, append, { taskId: id, level: 'info', message });
        await append({ taskId: id, kind: 'status', data: { status: progressOf(task) } });
        await tellMessages(tx, append, task);
        await also(tx);
      });
    },

    /** The end of the task, and of the session's work where nothing else waits. False where it was not ours to end. */
    async end(
      { id, sessionId, executionId, unanswered, isAtWork }: Ending,
      how: End,
      also: (tx: Tx) => Promise<void> = async () => {},
    ): Promise<boolean> {
      return store.change(sessionId, async (tx, append) => {
        const change = how.move === 'finish' ? { result: how.result } : { lastError: how.reason };
        const ended = await store.tasks.move(tx, { id, executionId }, how.move, {
          ...change,
          unanswered,
          ...(isAtWork && { from: ['running'] }),
        });
        if (!ended) return false;
        // Whoever wanted to drive it comes too late.
        await store.wheel.endAll(tx, append, { taskId: id });
        if (how.move === 'fail') await endOpenTries(tx, append, ended, how.reason);
        if (how.move === 'finish') await append({ taskId: id, kind: 'result', data: { result: how.result } });
        const isGood = how.move === 'finish';
        const message = isGood ? 'The task is done.' : `The task failed: ${how.reason}`;
        await store.logs.append(tx, append, { taskId: id, level: isGood ? 'info' : 'error', message });
        await tellMessages(tx, append, ended);
        // The last of it: whoever follows the task leaves when they have it.
        await append({ taskId: id, kind: 'status', data: { status: progressOf(ended) } });
        const isIdle = (await store.tasks.openInSession(tx, sessionId)) === 0;
        const session = isIdle ? await store.sessions.move(tx, sessionId, 'rest') : undefined;
        if (session) await append({ kind: 'status', data: { session: sessionStateOf(session) } });
        await also(tx);
        return true;
      });
    },
  };

  async function endOpenTries(tx: Tx, append: Append, task: TaskRow, error: string): Promise<void> {
    // Written by us from what the contract calls a plan.
    const { steps } = task.plan as { steps: Step[] };
    for (const open of await store.steps.of(task.id, tx)) {
      const step = steps[open.index - 1];
      const ended = open.status === 'running' && (await store.steps.end(tx, open, { status: 'interrupted', error }));
      if (!ended || !step) continue;
      await append({ taskId: task.id, kind: 'step', data: { step: ledgerLineOf(ended, step) } });
      await append({ taskId: task.id, kind: 'agent_history', data: { agent_history: historyOf(ended, step) } });
    }
  }
}
export type Record = ReturnType<typeof createRecord>;
type Effect = Parameters<Store['steps']['end']>[2];
