import { Plan, taskMoves } from '@pilothouse/contract';
import { sql } from 'kysely';
import type { Append } from './change.ts';
import { clocksOf } from './clocks.ts';
import type { Tx } from './db.ts';
import { messageStateOf } from './messages.ts';
import { historyOf, ledgerLineOf, progressOf } from './progress.ts';
import type { StepRow } from './steps.ts';
import type { TaskRow } from './tasks.ts';
import type { createWheel } from './wheel.ts';

/** One task, or all that a session has open. */
export type Cancelled = { taskId: string } | { sessionId: string };

const now = sql<Date>`date_trunc('milliseconds', clock_timestamp())`;

export function createCancels(wheel: Pick<ReturnType<typeof createWheel>, 'endAll'>) {
  return {
    /**
     * Ends what has not ended, whatever it is doing, and logs it; answers with those it ended. The agent that had one
     * no longer does: from here on nothing it writes counts. Where one had begun (`started_at`), fence its browser and
     * send its workflow a signal in the same transaction.
     */
    async cancel(tx: Tx, append: Append, which: Cancelled, reason: string | null): Promise<TaskRow[]> {
      const tasks = await tx.db
        .updateTable('tasks')
        .set({
          status: 'cancelled',
          ...clocksOf('cancelled'),
          execution_id: null,
          question: null,
          last_error: reason,
          finished_at: now,
          updated_at: now,
        })
        .where((at) => ('taskId' in which ? at('id', '=', which.taskId) : at('session_id', '=', which.sessionId)))
        .where('status', 'in', [...taskMoves.cancel.from])
        .returningAll()
        .execute();
      // Whoever drove it, or the session: there is nothing left to drive.
      if (tasks.length > 0 || 'sessionId' in which) await wheel.endAll(tx, append, which);
      for (const task of tasks.toSorted((one, other) => one.first_seq - other.first_seq)) {
        for (const line of await endWork(tx, task.id, reason)) await logLine(append, task, line);
        // The question that stood is gone: whoever shows it learns so.
        const message_state = messageStateOf(task, await linesOf(tx, task.id));
        await append({ taskId: task.id, kind: 'message_state', data: { message_state } });
        // The last of it: whoever follows the task leaves when they have it.
        await append({ taskId: task.id, kind: 'status', data: { status: progressOf(task) } });
      }
      return tasks;
    },
  };
}

/** The execution that is over now, and the try that nobody will hear the end of. */
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

const linesOf = (tx: Tx, taskId: string): Promise<StepRow[]> =>
  tx.db.selectFrom('steps').selectAll().where('task_id', '=', taskId).orderBy('index').orderBy('try').execute();

async function logLine(append: Append, task: TaskRow, line: StepRow): Promise<void> {
  const step = Plan.parse(task.plan).steps[line.index - 1];
  if (!step) return;
  await append({ taskId: task.id, kind: 'step', data: { step: ledgerLineOf(line, step) } });
  await append({ taskId: task.id, kind: 'agent_history', data: { agent_history: historyOf(line, step) } });
}
