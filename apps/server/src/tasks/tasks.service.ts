import { AppError, ImageType, isId, isTerminal, type ReplyOf, type routes } from '@pilothouse/contract';
import type { Caller, Store, StoredEvent, TaskRow } from '@pilothouse/store';
import { auditForeignRead } from '../auth/admin-reads.ts';
import type { EventStream } from '../http/event-stream.ts';
import { readCursor } from '../live/cursor.ts';
import { encodeTaskEvent } from '../live/encoded.ts';
import type { Hub } from '../live/hub.ts';
import { viewStatus } from './tasks.view.ts';

type Routes = typeof routes;

export function createTasksService({ store, hub }: { store: Store; hub: Hub }) {
  async function require(caller: Caller, id: string): Promise<TaskRow> {
    const task = isId(id) ? await store.tasks.visibleTo(caller, id) : undefined;
    if (!task) throw new AppError('not_found');
    await auditForeignRead(store, caller, task.created_by, { task_id: task.id });
    return task;
  }

  return {
    async status(caller: Caller, id: string): Promise<ReplyOf<Routes['getTaskStatus']>> {
      const standing = isId(id) ? await store.tasks.standing(caller, id) : undefined;
      if (!standing) throw new AppError('not_found');
      await auditForeignRead(store, caller, standing.task.created_by, { task_id: id });
      return { success: true, status: viewStatus(standing) };
    },

    async image(caller: Caller, id: string, observationId: string) {
      const task = await require(caller, id);
      const row = isId(observationId) ? await store.observations.ofTask(task.id, observationId) : undefined;
      const type = ImageType.safeParse(row?.content_type);
      // What was downloaded is a file, whatever it calls itself.
      if (!row?.blob_key || row.file_id || !type.success) throw new AppError('not_found');
      const bytes = await store.blobs.get(row.blob_key);
      if (!bytes) throw new AppError('gone');
      return { bytes, contentType: type.data };
    },

    /** Every event of the task from the cursor on, or from its first, up to its end. */
    async follow(caller: Caller, id: string, cursor: string | undefined) {
      // The row is not kept while somebody follows: there are many of them.
      const { session_id: sessionId, status, first_seq } = await require(caller, id);
      const newest = (await store.events.lastSeqs([sessionId])).get(sessionId) ?? 0;
      const given = readCursor(cursor);
      const isUnknown = cursor !== undefined && (given === undefined || given > newest);
      const from = Math.max(isUnknown ? 0 : (given ?? 0), first_seq - 1);
      // Others of the session may have said much since: that there is more in the log is no promise of an end.
      const isEndBehind = isTerminal(status) && !(await store.events.isEndedAfter(sessionId, from, id));

      return async (stream: EventStream): Promise<void> => {
        if (isUnknown) stream.send({ type: 'reset', data: { type: 'reset', reason: 'cursor_unknown' } });
        const onEvents = (events: StoredEvent[]) => {
          for (const event of events) {
            if (event.task_id !== id || stream.isEnded()) continue;
            const encoded = encodeTaskEvent(event);
            if (encoded) stream.sendEncoded(encoded.bytes);
            const end = endOf(event);
            if (!end) continue;
            stream.send({ type: 'end', data: { type: 'end', task_id: id, status: end } });
            stream.close();
          }
        };
        await hub.follow(sessionId, from, onEvents, stream);
        // A cursor behind the end of the task: nothing is left to send but that it is over.
        if (!isEndBehind) return;
        stream.send({ type: 'end', data: { type: 'end', task_id: id, status } });
        stream.close();
      };
    },
  };
}
export type TasksService = ReturnType<typeof createTasksService>;

function endOf({ kind, data }: StoredEvent) {
  const status = kind === 'status' ? (data.status as { status: TaskRow['status'] }).status : undefined;
  return status && isTerminal(status) ? status : undefined;
}
