// Cancels tasks: one, or all open tasks of a session, with their events.

import { Plan, taskMoves } from '@pilothouse/contract';
import { now } from '../db/clock.ts';
import type { Tx } from '../db/db.ts';
import { stopWaiting } from '../fleet/task-waits.ts';
import type { StepRow } from '../ledger/steps.ts';
import type { Append } from '../sessions/change.ts';
import { clocksOf } from '../tasks/task-clock.ts';
import { queueNext } from '../tasks/task-queue.ts';
import type { TaskRow } from '../tasks/tasks.ts';
import { attemptOf, historyOf, progressOf } from '../views/progress.ts';
import type { createTakeoverReturns } from './return-takeover.ts';
import type { TellConversation } from './task-conversation.ts';

export type CancelTarget = { taskId: string } | { sessionId: string };

type Options = {
  takeovers: Pick<ReturnType<typeof createTakeoverReturns>, 'endAll'>;
  tellConversation: TellConversation;
};

export function createCancels({ takeovers, tellConversation }: Options) {
  return {
    /**
     * Ends every such task that has not ended, and logs it; returns these tasks. Their executions lose them: from now
     * on their writes do not count. If a task had begun (`started_at`), fence its browser in the same transaction.
     */
    async cancel(tx: Tx, append: Append, which: CancelTarget, reason: string | null): Promise<TaskRow[]> {
      const tasks = await tx.db
        .updateTable('tasks')
        .set({
          status: 'cancelled',
          ...clocksOf('cancelled'),
          execution_id: null,
          run_due_at: null,
          run_agent_id: null,
          question: null,
          last_error: reason,
          finished_at: now,
          updated_at: now,
        })
        .where((at) => ('taskId' in which ? at('id', '=', which.taskId) : at('session_id', '=', which.sessionId)))
        .where('status', 'in', [...taskMoves.cancel.from])
        .returningAll()
        .execute();
      // A takeover of the task, or of the session, ends with it.
      if (tasks.length > 0 || 'sessionId' in which) await takeovers.endAll(tx, append, which);
      for (const task of tasks.toSorted((one, other) => one.first_seq - other.first_seq)) {
        for (const attempt of await endWork(tx, task.id, reason)) await logAttempt(append, task, attempt);
        // The open question is gone: viewers have to be told.
        await tellConversation(tx, append, task);
        // Last: streams of the task end with this event.
        await append({ taskId: task.id, kind: 'status', data: { status: progressOf(task) } });
      }
      await disconnect(tx, tasks);
      const ofAgents = tasks.filter(({ program_id }) => program_id === null);
      for (const sessionId of new Set(ofAgents.map(({ session_id }) => session_id))) {
        // One that had not begun waited for nothing.
        if (ofAgents.some(({ started_at }) => started_at)) await stopWaiting(tx, sessionId);
        await queueNext(tx, sessionId);
      }
      return tasks;
    },
  };
}

/** Their programs are connected no longer: the servers that have the sockets close them, and no program begins another task. */
async function disconnect({ client }: Tx, tasks: readonly TaskRow[]): Promise<void> {
  const ids = tasks.flatMap(({ program_id }) => program_id ?? []);
  if (ids.length > 0) await client.query('delete from program_connections where id = any($1)', [ids]);
}

/** Ends the open execution, and the attempt whose end will not be recorded. */
async function endWork(tx: Tx, taskId: string, reason: string | null): Promise<StepRow[]> {
  await tx.db
    .updateTable('executions')
    .set({ finished_at: now, outcome: 'cancelled', reason })
    .where('task_id', '=', taskId)
    .where('finished_at', 'is', null)
    .execute();
  return tx.db
    .updateTable('steps')
    .set({ status: 'interrupted', effect_at: now, error: 'The task was cancelled.' })
    .where('task_id', '=', taskId)
    .where('status', '=', 'running')
    .returningAll()
    .execute();
}

async function logAttempt(append: Append, task: TaskRow, attempt: StepRow): Promise<void> {
  const step = Plan.parse(task.plan).steps[attempt.index - 1];
  if (!step) return;
  await append({ taskId: task.id, kind: 'step', data: { step: attemptOf(attempt, step) } });
  await append({ taskId: task.id, kind: 'agent_history', data: { agent_history: historyOf(attempt, step) } });
}
