// The one way to change a session: lock its row, work, log the events, and announce them after the commit.

import type { Database, Tx } from '../db/db.ts';
import type { AppendedEvent, createEvents, NewEvent, StoredEvent } from './events.ts';
import type { createSessions } from './sessions.ts';

/** Appends to the log of the session that is being changed. */
export type Append = (event: Omit<NewEvent, 'sessionId'>) => Promise<AppendedEvent>;
export type Change = <T>(sessionId: string, work: (tx: Tx, append: Append) => Promise<T>) => Promise<T>;
/** Called with the events of a change, and the number of the last, after the commit. */
export type OnChanged = (sessionId: string, seq: number, events: StoredEvent[]) => void;

type Options = {
  database: Database;
  sessions: ReturnType<typeof createSessions>;
  events: ReturnType<typeof createEvents>;
  onChanged: OnChanged;
};

export function createChange({ database, sessions, events, onChanged }: Options): Change {
  return async (sessionId, work) => {
    const added: StoredEvent[] = [];
    let last: number | undefined;
    const value = await database.transaction(async (tx) => {
      const locked = await sessions.lock(tx, sessionId);
      const done = await work(tx, async (event) => {
        const appended = await events.append(tx, { ...event, sessionId });
        last = Math.max(last ?? 0, appended.seq);
        if (appended.isNew) added.push(storedOf(sessionId, event, appended));
        return appended;
      });
      // Not with every event: the column is in three indexes, and an active session logs many events.
      if (locked?.isLeftBehind && last !== undefined) await sessions.touch(tx, sessionId);
      return done;
    });
    if (last !== undefined) onChanged(sessionId, last, added);
    return value;
  };
}

const storedOf = (
  session_id: string,
  { taskId = null, kind, data }: Omit<NewEvent, 'sessionId'>,
  { seq, recordedAt }: AppendedEvent,
): StoredEvent => ({ session_id, seq, task_id: taskId, kind, data, recorded_at: recordedAt });
