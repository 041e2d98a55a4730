// The log lines of tasks.

import type { Json, LogLevel } from '@pilothouse/contract';
import type { Selectable } from 'kysely';
import { decodeSeq, toSeqPage } from '../db/cursors.ts';
import type { Database } from '../db/db.ts';
import type { Logs } from '../db/generated.ts';
import { storableText } from '../db/storable.ts';
import type { Append } from './change.ts';

export type LogRow = Selectable<Logs>;
export type NewLog = {
  taskId: string;
  level: LogLevel;
  message: string;
  stepId?: string;
  data?: Json;
  /** Appended twice under one key, the line is logged once. */
  dedupKey?: string;
};

export function createLogs({ db }: Database) {
  return {
    /** Inside `store.change`, with its `append`: the line and its event are written together. */
    async append(append: Append, { taskId, level, message, stepId, data, dedupKey }: NewLog): Promise<void> {
      const line = { level, message: storableText(message), step_id: stepId ?? null, data: data ?? null };
      const { seq, isNew } = await append({ taskId, kind: 'log', data: { log: line }, dedupKey });
      if (isNew) append.line({ ...line, task_id: taskId, seq });
    },

    /** From the level upwards, oldest first. */
    async listOf(taskId: string, { level, limit, cursor }: { level?: LogLevel; limit: number; cursor?: string }) {
      const rows = await db
        .selectFrom('logs')
        .selectAll()
        .where('task_id', '=', taskId)
        .where('seq', '>', decodeSeq(cursor))
        // The levels are an ordered enum in the database.
        .$if(level !== undefined, (query) => query.where('level', '>=', level ?? 'debug'))
        .orderBy('seq')
        .limit(limit + 1)
        .execute();
      return toSeqPage(rows, limit);
    },
  };
}
