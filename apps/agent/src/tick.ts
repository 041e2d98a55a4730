import { setTimeout as sleep } from 'node:timers/promises';
import { isTerminal, Plan, type Step } from '@pilothouse/contract';
import type { Log } from '@pilothouse/process';
import {
  ledgerLineOf,
  newId,
  progressOf,
  type StepRow,
  type Store,
  sessionStateOf,
  type TaskRow,
  titleOf,
} from '@pilothouse/store';
import type { Grip, Hands } from './hands.ts';
import { type Record, Replaced } from './record.ts';

/** What the workflow does next: ticks again, waits for a signal, or is over. */
export type Next = 'again' | 'wait' | 'done';
export type Run = { tick(): Promise<Next> };

export type Parts = {
  store: Store;
  hands: Hands;
  record: Record;

  agentId: string;
  log: Log;
  signal: AbortSignal;
};

const triesPerStep = 5;
const ensureMs = 60_000;
const replacedPauseMs = 2000;
const askAgainMs = 300;

/** One life of a task in this process: a step of its plan a tick. */
export function createRun({ store, hands, record, agentId, log, signal }: Parts, taskId: string): Run {
  let executionId: string | undefined;
  /** The epoch under which the browser was found to be gone. */
  let lost: number | undefined;

  /** Takes the task for this run, and says so. */
  async function begin(task: TaskRow): Promise<string | undefined> {
    return store.change(task.session_id, async (tx, append) => {
      const begun = await store.tasks.beginExecution(tx, taskId, agentId);
      if (!begun) return undefined;
      await append({ taskId, kind: 'status', data: { status: progressOf(begun.task) } });
      const session = await store.sessions.move(tx, task.session_id, 'work');
      if (session) await append({ kind: 'status', data: { session: sessionStateOf(session) } });
      return begun.executionId;
    });
  }

  /** The intent, written before the act. A try that a lost agent left open under the same epoch is taken up as it is. */
  async function intend(
    task: TaskRow,
    execution: string,
    index: number,
    step: Step,
    grip: Grip,
    open: StepRow | undefined,
  ) {
    return store.change(task.session_id, async (tx, append) => {
      const held = await store.tasks.setStep(tx, { id: taskId, executionId: execution }, index, titleOf(step));
      if (!held) throw new Replaced();
      await store.tasks.setHost(tx, execution, grip.hostId);
      if (open) return open;
      const line = await store.steps.begin(tx, {
        taskId,
        index,
        executionId: execution,
        commandId: newId(),
        epoch: grip.epoch,
      });
      await append({ taskId, kind: 'status', data: { status: progressOf(held) } });
      await append({ taskId, kind: 'step', data: { step: ledgerLineOf(line, step) } });
      return line;
    });
  }

  async function doStep(task: TaskRow, execution: string, index: number, step: Step, lines: StepRow[]): Promise<Next> {
    const session = await store.sessions.byId(task.session_id);
    if (!session) throw new Error(`task ${taskId} has no session`);
    const viewport = { width: session.viewport_width, height: session.viewport_height };
    const within = AbortSignal.any([signal, AbortSignal.timeout(ensureMs)]);
    const grip = await hands.ensure({ id: session.id, viewport }, { lost, signal: within });
    lost = undefined;

    const begun = lines.find(({ status }) => status === 'running');
    const isSameBrowser = begun?.epoch === grip.epoch;
    if (begun && !isSameBrowser) {
      const why = 'The browser was lost while this was done.';
      await record.failure(task, { line: begun, executionId: execution }, step, 'interrupted', why);
      if (step.irreversible) return giveUp(task, execution, `${why} It cannot be undone, so it was not repeated.`);
    }
    const line = await intend(task, execution, index, step, grip, isSameBrowser ? begun : undefined);
    const outcome = await hands.act(session.id, grip, line.command_id, step, signal);

    if (outcome.type === 'acted') {
      await record.success({
        task,
        line: { ...line, execution_id: execution },
        step,
        acted: outcome.acted,
        image: outcome.image,
      });
      return 'again';
    }
    if (outcome.type === 'failed') {
      await record.failure(task, { line, executionId: execution }, step, 'failed', outcome.message);
      return giveUp(task, execution, outcome.message);
    }
    if (outcome.isUnheard && (await hands.holds(session.id, grip))) {
      // Only the answer was lost: the next tick asks for it under the same command id, and nothing is done twice.
      await sleep(askAgainMs, undefined, { signal });
      return 'again';
    }
    log.warn({ task_id: taskId, host_id: grip.hostId, reason: outcome.reason }, 'the browser was lost');
    lost = grip.epoch;
    const why = `The browser was lost (${outcome.reason}).`;
    await record.failure(task, { line, executionId: execution }, step, 'interrupted', why);
    if (step.irreversible && outcome.mayHaveActed)
      return giveUp(task, execution, `${why} The step cannot be undone, so it was not repeated.`);
    return 'again';
  }

  async function giveUp(task: TaskRow, execution: string, error: string): Promise<Next> {
    await record.end(task, execution, 'fail', error);
    return 'done';
  }

  async function tick(): Promise<Next> {
    const task = await store.tasks.byId(taskId);
    if (!task || isTerminal(task.status)) return 'done';
    executionId ??= await begin(task);
    if (!executionId) return 'done';

    const { steps } = Plan.parse(task.plan);
    const lines = await store.steps.of(taskId);
    const index =
      steps.findIndex((_, i) => !lines.some((line) => line.index === i + 1 && line.status === 'success')) + 1;
    const step = steps[index - 1];
    if (!step) {
      await record.end(task, executionId, 'finish');
      return 'done';
    }
    const tries = lines.filter((line) => line.index === index);
    if (tries.length >= triesPerStep && !tries.some(({ status }) => status === 'running')) {
      return giveUp(task, executionId, `"${titleOf(step)}" was tried ${tries.length} times.`);
    }
    return doStep(task, executionId, index, step, tries);
  }

  return {
    async tick() {
      try {
        return await tick();
      } catch (error) {
        if (signal.aborted) throw error;
        if (error instanceof Replaced) {
          // Another run has the task. The engine finds that out when this one tries to record; until then, do nothing.
          log.warn({ task_id: taskId }, 'another agent has taken this task');
          executionId = undefined;
        } else {
          // The weather: what was begun is in the ledger, and the next tick looks at it.
          log.error({ err: error, task_id: taskId }, 'a tick failed');
        }
        await sleep(replacedPauseMs, undefined, { signal });
        return 'again';
      }
    },
  };
}
