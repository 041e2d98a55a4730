import type { Database, Tx } from './db.ts';
import type { Appended, createEvents, NewEvent, StoredEvent } from './events.ts';
import type { createSessions } from './sessions.ts';

/** Appends to the log of the session that is being changed. */
export type Append = (event: Omit<NewEvent, 'sessionId'>) => Promise<Appended>;
export type Change = <T>(sessionId: string, work: (tx: Tx, append: Append) => Promise<T>) => Promise<T>;
/** Told of the events of a change, and of the number of the last, once they are committed. */
export type OnChanged = (sessionId: string, seq: number, events: StoredEvent[]) => void;

type Parts = {
  database: Database;
  sessions: ReturnType<typeof createSessions>;
  events: ReturnType<typeof createEvents>;
  onChanged: OnChanged;
};

/**
 * One change of a session: its row is locked first, what changed is logged in the same transaction, and once that is
 * committed, whoever announces it is told.
 */
export function createChange({ database, sessions, events, onChanged }: Parts): Change {
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
      // Not with every event: its place stands in three indexes, and a session at work says a lot.
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
  { seq, recordedAt }: Appended,
): StoredEvent => ({ session_id, seq, task_id: taskId, kind, data, recorded_at: recordedAt });
