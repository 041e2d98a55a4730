import { setTimeout as sleep } from 'node:timers/promises';
import { isTerminal, Plan, type Step } from '@pilothouse/contract';
import type { Log } from '@pilothouse/process';
import { progressOf, type Store, sessionStateOf, type TaskRow } from '@pilothouse/store';
import type { Files } from './files.ts';
import type { Hands } from './hands.ts';
import { openingOf, settingsOf } from './opening.ts';
import type { Record } from './record.ts';
import { resultOf } from './results.ts';
import { createSteps } from './step.ts';
import { type Next, Replaced, type Turn, watchTask } from './turn.ts';
import { createWaiting } from './waiting.ts';
import { createYielding } from './yielding.ts';

type Begun = { executionId: string; task: TaskRow };

export type Run = { tick(): Promise<Next> };

export type Parts = {
  store: Store;
  hands: Hands;
  record: Record;
  files: Files;
  agentId: string;
  log: Log;
  signal: AbortSignal;
};

const pauseMs = 2000;
/** So many agents may take a task one after the other without a step of it being finished. */
const mostFruitless = 5;
const arriveMs = 15_000;

/** One life of a task in this process. A tick looks at the ledger, decides, acts, and records. */
export function createRun(parts: Parts, taskId: string): Run {
  const { store, hands, record, agentId, log, signal } = parts;
  const steps = createSteps(parts);
  const waiting = createWaiting({ ...parts, steps });
  const yielding = createYielding({ ...parts, steps });
  let executionId: string | undefined;

  /** Takes the task for this run, and says so. */
  async function begin({ session_id }: TaskRow): Promise<Begun | undefined> {
    const begun = await store.change(session_id, async (tx, append) => {
      const taken = await store.tasks.beginExecution(tx, taskId, agentId);
      if (!taken) return undefined;
      const { task } = taken;
      await append({ taskId, kind: 'status', data: { status: progressOf(task) } });
      if (task.attempt > 1) {
        const message = `Another agent goes on with the task (attempt ${task.attempt}).`;
        await store.logs.append(tx, append, { taskId, level: 'warn', message });
      }
      const session = await store.sessions.move(tx, session_id, 'work');
      if (session) await append({ kind: 'status', data: { session: sessionStateOf(session) } });
      // Whoever had the task may only have been stopped, and must not act when it goes on. A person's wheel stays.
      const isTakenOver = task.attempt > 1 && task.status === 'running';
      return { ...taken, fence: isTakenOver ? await store.browsers.fence(tx, session_id) : undefined };
    });
    if (!begun) return undefined;
    executionId = begun.executionId;
    const { fence, task } = begun;
    // Where a try is open, what is under way at the host may end first.
    if (fence && !(await store.steps.of(taskId)).some(({ status }) => status === 'running'))
      await hands.take(session_id, { hostId: fence.host_id, epoch: fence.epoch });
    return { executionId, task };
  }

  /** It is taken again and again, and nothing comes of it: perhaps it is what ends those who take it. */
  async function giveUp({ executionId: execution, task }: Begun): Promise<Next> {
    const held = { id: taskId, sessionId: task.session_id, executionId: execution };
    const where = task.current_step_title ? `, the last time at "${task.current_step_title}"` : '';
    const reason = `It was begun ${mostFruitless} times without finishing a step${where}, and each time the agent was lost.`;
    if (!(await record.end(held, { move: 'fail', reason }))) throw new Replaced();
    return 'done';
  }

  /** What is to be done next; nothing, where all is done. */
  async function look(task: TaskRow & { worked_ms: number }, execution: string): Promise<Turn | undefined> {
    const [lines, session] = await Promise.all([store.steps.of(taskId), store.sessions.byId(task.session_id)]);
    if (!session) throw new Error(`task ${taskId} has no session`);
    const { steps: plan } = Plan.parse(task.plan);
    const done = new Set(lines.flatMap(({ index, status }) => (status === 'success' ? index : [])));
    const index = plan.findIndex((_, i) => !done.has(i + 1)) + 1;
    const step = plan[index - 1];
    if (!step) return undefined;
    const settings = settingsOf(task);
    return {
      task,
      session: openingOf(session, settings),
      executionId: execution,
      settings,
      steps: plan,
      index,
      step,
      tries: lines.filter((line) => line.index === index),
      triesOfAll: lines.length,
      leftMs: settings.time_limit_secs * 1000 - task.worked_ms,
      signal,
    };
  }

  async function finish(task: TaskRow, execution: string): Promise<Next> {
    const result = await resultOf(store, task, Plan.parse(task.plan).steps);
    const held = { id: taskId, sessionId: task.session_id, executionId: execution };
    // A person may have taken it in this moment: then it ends when they give it back.
    if (!(await record.end(held, { move: 'finish', result }))) throw new Replaced();
    return 'done';
  }

  /** Where the task is meant to begin, if its browser has not been anywhere. False where the browser was lost on the way. */
  async function arrive(turn: Turn): Promise<boolean> {
    const { settings, session, triesOfAll, step } = turn;
    if (settings.current_url === null || triesOfAll > 0 || step.action === 'navigate') return true;
    const grip = await steps.grasp(turn);
    if ((await hands.left(session.id, grip)).url !== 'about:blank') return true;
    // Also so that only who still has the task goes there.
    await record.note(turn, `Opening ${settings.current_url}`);
    const there: Step = { action: 'navigate', url: settings.current_url };
    const deadlineMs = Math.max(1, Math.min(arriveMs, turn.leftMs));
    const outcome = await hands.act(session.id, grip, { step: there, deadlineMs, bring: [], signal: turn.signal });
    if (outcome.type === 'failed')
      await record.note(turn, `${settings.current_url} could not be opened: ${outcome.message}`, 'warn');
    if (outcome.type === 'lost') steps.lose(grip);
    return outcome.type !== 'lost';
  }

  async function act(turn: Turn): Promise<Next> {
    if (!(await arrive(turn))) return 'again';
    const { step } = turn;
    if (step.action === 'ask') return waiting.ask(turn, step);
    return step.action === 'wait' ? waiting.wait(turn, step) : steps.run(turn);
  }

  async function tick(): Promise<Next> {
    const task = await store.tasks.atWork(taskId);
    if (!task || isTerminal(task.status)) return 'done';
    let execution = executionId;
    if (!execution) {
      const begun = await begin(task);
      if (!begun) return 'done';
      if (begun.task.fruitless > mostFruitless && begun.task.status === 'running') return giveUp(begun);
      execution = begun.executionId;
    }
    // A person has it. Whoever gives it back sends a signal.
    if (task.status === 'awaiting_user' || task.status === 'takeover') return 'wait';
    const turn = await look(task, execution);
    if (!turn) return finish(task, execution);
    if (turn.leftMs <= 0) return steps.giveUp(turn, `The time limit of ${turn.settings.time_limit_secs} s is over.`);
    // A step that only waits is left for whoever wants the wheel; any other is finished first.
    const isIdle = turn.step.action === 'wait' && !task.has_takeover;
    const watch = watchTask(store, { id: taskId, executionId: execution, isIdle });
    try {
      const watched = { ...turn, signal: AbortSignal.any([signal, watch.signal]) };
      // Nothing of ours is under way here.
      if (task.has_takeover && (await yielding.meet(watched))) return 'wait';
      return await act(watched);
    } catch (error) {
      throw watch.signal.aborted ? new Replaced() : error;
    } finally {
      watch.close();
    }
  }

  return {
    async tick() {
      try {
        return await tick();
      } catch (error) {
        // This agent ends. Whatever came back from here would be kept as what came of the task: nothing does.
        if (signal.aborted) return new Promise(() => {});
        if (error instanceof Replaced) {
          const task = await store.tasks.byId(taskId).catch(() => undefined);
          if (task && (isTerminal(task.status) || task.execution_id === executionId)) return 'again';
          // Another run has the task. The engine finds that out when this one tries to record; until then, do nothing.
          log.warn({ task_id: taskId }, 'another agent has taken this task');
          executionId = undefined;
        } else {
          // The weather: what was begun is in the ledger, and the next tick looks at it.
          log.error({ err: error, task_id: taskId }, 'a tick failed');
        }
        return sleep(pauseMs, undefined, { signal }).then(
          () => 'again',
          () => new Promise(() => {}),
        );
      }
    },
  };
}
