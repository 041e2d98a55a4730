import { AppError, isId, type QueryOf, type ReplyOf, type routes } from '@pilothouse/contract';
import { type Caller, messageStateOf, type ObservationRow, type Store, type TaskRow } from '@pilothouse/store';
import { auditForeignList, auditForeignRead } from '../auth/admin-reads.ts';
import {
  viewExecution,
  viewInboxItem,
  viewLog,
  viewObservation,
  viewScreenshot,
  viewSummary,
  viewTask,
} from './tasks.view.ts';

type Routes = typeof routes;
/** What one page may carry of pictures; where they are more, it ends early and the next one goes on. */
const picturesBytes = 8 * 1024 * 1024;

/** What can be read of tasks beyond how far they are; changes nothing. */
export function createTaskReadsService({ store }: { store: Store }) {
  async function require(caller: Caller, id: string): Promise<TaskRow> {
    const task = isId(id) ? await store.tasks.visibleTo(caller, id) : undefined;
    if (!task) throw new AppError('not_found');
    await auditForeignRead(store, caller, task.created_by, { task_id: task.id });
    return task;
  }

  const pictureOf = (row: ObservationRow) =>
    row.blob_key && !row.file_id ? store.blobs.get(row.blob_key) : Promise.resolve(undefined);

  return {
    async list(caller: Caller, query: QueryOf<Routes['listTasks']>): Promise<ReplyOf<Routes['listTasks']>> {
      const { session_id: sessionId, status, limit, cursor } = query;
      if (sessionId !== undefined) {
        const session = isId(sessionId) ? await store.sessions.visibleTo(caller, sessionId) : undefined;
        if (!session) throw new AppError('not_found');
      }
      const { rows, nextCursor } = await store.tasks.listVisibleTo(caller, { sessionId, status, limit, cursor });
      const owners = rows.flatMap(({ owner_id, created_by }) => (owner_id === caller.id ? [] : created_by));
      await auditForeignList(store, caller, owners, { list: 'tasks' });
      return { success: true, tasks: rows.map(viewSummary), next_cursor: nextCursor };
    },

    /** What waits for a person. */
    async inbox(caller: Caller, query: QueryOf<Routes['listInbox']>): Promise<ReplyOf<Routes['listInbox']>> {
      const { rows, nextCursor } = await store.tasks.inboxOf(caller, query);
      const owners = rows.flatMap(({ owner_id, created_by }) => (owner_id === caller.id ? [] : created_by));
      await auditForeignList(store, caller, owners, { list: 'inbox' });
      return { success: true, items: rows.map(viewInboxItem), next_cursor: nextCursor };
    },

    async detail(caller: Caller, id: string): Promise<ReplyOf<Routes['getTask']>> {
      return { success: true, task: viewTask(await require(caller, id)) };
    },

    async logs(caller: Caller, id: string, query: QueryOf<Routes['listLogs']>): Promise<ReplyOf<Routes['listLogs']>> {
      const task = await require(caller, id);
      const { rows, nextCursor } = await store.logs.listOf(task.id, query);
      return { success: true, logs: rows.map(viewLog), next_cursor: nextCursor };
    },

    async observations(
      caller: Caller,
      id: string,
      { limit, cursor, include }: QueryOf<Routes['listObservations']>,
    ): Promise<ReplyOf<Routes['listObservations']>> {
      if (!isId(id)) throw new AppError('malformed_id');
      const task = await require(caller, id);
      const maxBytes = include === 'image' ? picturesBytes : undefined;
      const { rows, nextCursor } = await store.observations.listOf(task.id, { limit, cursor, maxBytes });
      const images = include === 'image' ? await Promise.all(rows.map(pictureOf)) : [];
      const observations = rows.map((row, index) => viewObservation(row, images[index]));
      return { success: true, data: { task_id: task.id, observations, next_cursor: nextCursor } };
    },

    async executions(caller: Caller, id: string): Promise<ReplyOf<Routes['listExecutions']>> {
      const task = await require(caller, id);
      const [rows, lines] = await Promise.all([store.executions.listOf(task.id), store.steps.of(task.id)]);
      return { success: true, executions: rows.map((row) => viewExecution(row, task, lines)) };
    },

    async messages(caller: Caller, id: string): Promise<ReplyOf<Routes['getMessageState']>> {
      const task = await require(caller, id);
      return { success: true, message_state: messageStateOf(task, await store.steps.of(task.id)) };
    },

    /** The latest picture. */
    async screenshot(caller: Caller, id: string) {
      const task = await require(caller, id);
      const row = await store.observations.lastPictureOf(task.id);
      const bytes = row && (await pictureOf(row));
      if (!row || !bytes) throw new AppError('not_found');
      return { id: row.id, bytes, screenshot: viewScreenshot(row, bytes) };
    },

    async file(caller: Caller, id: string, fileId: string) {
      const task = await require(caller, id);
      const file = isId(fileId) ? await store.files.ofTask(task.id, fileId) : undefined;
      if (!file) throw new AppError('not_found');
      const bytes = await store.blobs.get(file.blob_key);
      if (!bytes) throw new AppError('gone');
      return { name: file.name, bytes };
    },
  };
}
export type TaskReadsService = ReturnType<typeof createTaskReadsService>;
