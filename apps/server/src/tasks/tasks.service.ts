// The progress of a task: its status, and the stream of its events.

import { AppError, isId, isTerminal, type ReplyOf, type routes } from '@pilothouse/contract';
import type { Caller, Store, StoredEvent, TaskRow } from '@pilothouse/store';
import { auditForeignRead } from '../auth/admin-reads.ts';
import { faultOf, readCursor } from '../live/cursor.ts';
import { encodeTaskEvent } from '../live/encode.ts';
import type { EventHub } from '../live/event-hub.ts';
import type { EventStream } from '../sse/event-stream.ts';
import { viewStatus } from './tasks.view.ts';
import type { RequireTask } from './visible-task.ts';

type Routes = typeof routes;
type Options = { store: Store; events: EventHub; requireTask: RequireTask };

export function createTasksService({ store, events, requireTask }: Options) {
  return {
    async status(caller: Caller, id: string): Promise<ReplyOf<Routes['getTaskStatus']>> {
      const standing = isId(id) ? await store.tasks.standing(caller, id) : undefined;
      if (!standing) throw new AppError('not_found');
      await auditForeignRead(store, caller, standing.task.created_by, { task_id: id });
      return { success: true, status: viewStatus(standing) };
    },

    /** Every event of the task from the cursor on, or from its first, up to its end. */
    async follow(caller: Caller, id: string, cursor: string | undefined) {
      // The row itself is not kept for the time of the stream: streams are many.
      const { session_id: sessionId, status, first_seq } = await requireTask(caller, id);
      const kept = await store.events.keptOf(sessionId);
      const fault = faultOf(cursor, kept, first_seq - 1);
      // What a purge removed may still be in memory here.
      const from = Math.max(fault ? 0 : (readCursor(cursor) ?? 0), first_seq - 1, kept.first - 1);
      // Later events of the session may be of other tasks, so they do not promise an end of this one.
      const isEndBehind = isTerminal(status) && !(await store.events.isEndedAfter(sessionId, from, id));

      return async (stream: EventStream): Promise<void> => {
        if (fault) stream.send({ type: 'reset', data: { type: 'reset', reason: fault } });
        await events.follow(sessionId, from, (added) => sendEvents(stream, id, added), stream);
        // The cursor is behind the end of the task: only the end itself is left to send.
        if (isEndBehind) sendEnd(stream, id, status);
      };
    },
  };
}
export type TasksService = ReturnType<typeof createTasksService>;

function sendEvents(stream: EventStream, taskId: string, events: StoredEvent[]): void {
  for (const event of events) {
    if (event.task_id !== taskId || stream.isEnded()) continue;
    const encoded = encodeTaskEvent(event);
    if (encoded) stream.sendEncoded(encoded.bytes);
    const end = endOf(event);
    if (end) sendEnd(stream, taskId, end);
  }
}

function sendEnd(stream: EventStream, taskId: string, status: TaskRow['status']): void {
  stream.send({ type: 'end', data: { type: 'end', task_id: taskId, status } });
  stream.close();
}

function endOf({ kind, data }: StoredEvent) {
  const status = kind === 'status' ? (data.status as { status: TaskRow['status'] }).status : undefined;
  return status && isTerminal(status) ? status : undefined;
}
