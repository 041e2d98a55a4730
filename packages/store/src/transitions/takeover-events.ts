// The events and log lines of takeovers. Called inside `store.change`, with its `append`.

import type { Tx } from '../db/db.ts';
import type { Append } from '../sessions/change.ts';
import type { createLogs } from '../sessions/logs.ts';
import type { createSessions } from '../sessions/sessions.ts';
import { type TakeoverRow, takeoverOf } from '../takeovers/takeovers.ts';
import type { TaskRow } from '../tasks/tasks.ts';
import { progressOf, sessionStateOf } from '../views/progress.ts';

type Options = { sessions: Pick<ReturnType<typeof createSessions>, 'move'>; logs: ReturnType<typeof createLogs> };
type SessionMove = 'take' | 'handBackToWork' | 'handBackToRest';

export type TakeoverEvents = ReturnType<typeof createTakeoverEvents>;

export function createTakeoverEvents({ sessions, logs }: Options) {
  return {
    takeoverChanged: (append: Append, row: TakeoverRow) =>
      append({ taskId: row.task_id, kind: 'takeover', data: { takeover: takeoverOf(row) } }),

    taskChanged: (append: Append, task: TaskRow) =>
      append({ taskId: task.id, kind: 'status', data: { status: progressOf(task) } }),

    /** Moves the session, if its state allows it, and appends the event. */
    async moveSession(tx: Tx, append: Append, id: string, move: SessionMove): Promise<void> {
      const session = await sessions.move(tx, id, move);
      if (session) await append({ kind: 'status', data: { session: sessionStateOf(session) } });
    },

    /** A log line of the takeover's task; a takeover without a task has no log. */
    async log(append: Append, row: TakeoverRow, message: string, data: object = {}): Promise<void> {
      if (!row.task_id) return;
      const about = { takeover_id: row.id, ...data };
      await logs.append(append, { taskId: row.task_id, level: 'info', message, data: about });
    },
  };
}
