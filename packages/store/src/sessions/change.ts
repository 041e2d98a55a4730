// The one way to change a session: lock its row, work, log the events, and announce them after the commit.

import type { Database, Tx } from '../db/db.ts';
import { createEventBuffer, type EventBuffer } from './event-buffer.ts';
import type { StoredEvent } from './events.ts';
import type { createSessions } from './sessions.ts';

/** Appends to the log of the session that is being changed. */
export type Append = EventBuffer['append'];
export type Change = <T>(sessionId: string, work: (tx: Tx, append: Append) => Promise<T>) => Promise<T>;
/** Called with the events of a change, and the number of the last, after the commit. */
export type OnChanged = (sessionId: string, seq: number, events: StoredEvent[]) => void;

type Options = {
  database: Database;
  sessions: ReturnType<typeof createSessions>;
  onChanged: OnChanged;
};

export function createChange({ database, sessions, onChanged }: Options): Change {
  return async (sessionId, work) => {
    const { value, last, added } = await database.transaction(async (tx) => {
      const locked = await sessions.lock(tx, sessionId);
      // A change that creates the session locks it by that.
      const head = async () => locked ?? (await sessions.lock(tx, sessionId));
      const buffer = createEventBuffer({ tx, sessionId, head });
      const done = await work(tx, buffer.append);
      await buffer.append.flush();
      // Not with every event: the column is in three indexes, and an active session logs many events.
      if (locked?.isLeftBehind && buffer.last() !== undefined) await sessions.touch(tx, sessionId);
      return { value: done, last: buffer.last(), added: buffer.added };
    });
    if (last !== undefined) onChanged(sessionId, last, added);
    return value;
  };
}
