// Ends a task, in one transaction with everything that ends with it: open attempts, takeovers, the session's work.

import type { Step, TaskResult } from '@pilothouse/contract';
import {
  type Append,
  attemptOf,
  type CallEnd,
  historyOf,
  type ModelCallRow,
  progressOf,
  type Store,
  sessionStateOf,
  type TaskRow,
  type Tx,
} from '@pilothouse/store';
import { type LedgerCounts, noCounts } from './ledger-metrics.ts';

/** `unanswered`: only while the question asked at this time stands. `isAtWork`: not while a person has the task. */
type EndingTask = { id: string; sessionId: string; executionId: string; unanswered?: string; isAtWork?: boolean };
type End = { move: 'finish'; result: TaskResult } | { move: 'fail'; reason: string };
/** A call of a model that ends with the task, because its answer is part of the result. */
export type LastCall = { call: ModelCallRow; end: CallEnd };

export function createTaskEnd({ store, counts = noCounts }: { store: Store; counts?: LedgerCounts }) {
  async function endOpenAttempts(tx: Tx, append: Append, task: TaskRow, error: string): Promise<void> {
    // The server wrote it as the contract's Plan.
    const { steps } = task.plan as { steps: Step[] };
    for (const ended of await store.steps.interrupt(tx, task.id, error)) {
      const step = steps[ended.index - 1];
      if (!step) continue;
      await append({ taskId: task.id, kind: 'step', data: { step: attemptOf(ended, step) } });
      await append({ taskId: task.id, kind: 'agent_history', data: { agent_history: historyOf(ended, step) } });
    }
  }

  return {
    /** Ends the task, and lets the session rest where no other task is open. False where this execution may not end it. */
    async endTask(
      { id, sessionId, executionId, unanswered, isAtWork }: EndingTask,
      how: End,
      last?: LastCall,
    ): Promise<boolean> {
      const isEnded = await store.change(sessionId, async (tx, append) => {
        const change = how.move === 'finish' ? { result: how.result } : { lastError: how.reason };
        const ended = await store.tasks.move(tx, { id, executionId }, how.move, {
          ...change,
          unanswered,
          ...(isAtWork && { from: ['running'] }),
        });
        if (!ended) return false;
        if (last) await store.modelCalls.end(tx, last.call, last.end);
        // No agent is left that would end a call of a model whose agent was lost.
        if (ended.total_steps === null) await store.modelCalls.lose(tx, id);
        // A takeover of an ended task ends with it.
        await store.takeovers.endAll(tx, append, { taskId: id });
        if (how.move === 'fail') await endOpenAttempts(tx, append, ended, how.reason);
        if (how.move === 'finish') await append({ taskId: id, kind: 'result', data: { result: how.result } });
        const isGood = how.move === 'finish';
        const message = isGood ? 'The task is done.' : `The task failed: ${how.reason}`;
        await store.logs.append(append, { taskId: id, level: isGood ? 'info' : 'error', message });
        await store.tellConversation(tx, append, ended);
        // Last: a client that follows the task leaves when it has this event.
        await append({ taskId: id, kind: 'status', data: { status: progressOf(ended) } });
        const isIdle = (await store.tasks.openInSession(tx, sessionId)) === 0;
        const session = isIdle ? await store.sessions.move(tx, sessionId, 'rest') : undefined;
        if (session) await append({ kind: 'status', data: { session: sessionStateOf(session) } });
        return true;
      });
      if (isEnded) counts.taskEnded(how.move === 'finish' ? 'success' : 'failed');
      return isEnded;
    },
  };
}
