// Lists of tasks, and what can be read of one besides its progress and its pictures. It changes nothing.

import { AppError, isId, type QueryOf, type ReplyOf, type routes } from '@pilothouse/contract';
import { type Caller, messageStateOf, type Store } from '@pilothouse/store';
import { auditTaskList } from '../auth/admin-reads.ts';
import { viewExecution, viewLog, viewSummary, viewTask } from './tasks.view.ts';
import type { RequireTask } from './visible-task.ts';

type Routes = typeof routes;
type Options = { store: Store; requireTask: RequireTask };

export function createTaskReads({ store, requireTask }: Options) {
  return {
    async list(caller: Caller, query: QueryOf<Routes['listTasks']>): Promise<ReplyOf<Routes['listTasks']>> {
      const { session_id: sessionId, status, limit, cursor } = query;
      if (sessionId !== undefined) {
        const session = isId(sessionId) ? await store.sessions.visibleTo(caller, sessionId) : undefined;
        if (!session) throw new AppError('not_found');
      }
      const { rows, nextCursor } = await store.tasks.listVisibleTo(caller, { sessionId, status, limit, cursor });
      await auditTaskList(store, caller, rows, 'tasks');
      return { success: true, tasks: rows.map(viewSummary), next_cursor: nextCursor };
    },

    async detail(caller: Caller, id: string): Promise<ReplyOf<Routes['getTask']>> {
      return { success: true, task: viewTask(await requireTask(caller, id)) };
    },

    async logs(caller: Caller, id: string, query: QueryOf<Routes['listLogs']>): Promise<ReplyOf<Routes['listLogs']>> {
      const task = await requireTask(caller, id);
      const { rows, nextCursor } = await store.logs.listOf(task.id, query);
      return { success: true, logs: rows.map(viewLog), next_cursor: nextCursor };
    },

    async executions(caller: Caller, id: string): Promise<ReplyOf<Routes['listExecutions']>> {
      const task = await requireTask(caller, id);
      const [rows, lines] = await Promise.all([store.executions.listOf(task.id), store.steps.of(task.id)]);
      return { success: true, executions: rows.map((row) => viewExecution(row, task, lines)) };
    },

    async messages(caller: Caller, id: string): Promise<ReplyOf<Routes['getMessageState']>> {
      const task = await requireTask(caller, id);
      const [attempts, messages] = await Promise.all([store.steps.of(task.id), store.taskMessages.of(task.id)]);
      return { success: true, message_state: messageStateOf(task, attempts, messages) };
    },
  };
}
export type TaskReads = ReturnType<typeof createTaskReads>;
