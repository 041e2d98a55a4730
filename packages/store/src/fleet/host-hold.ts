// A browser at a host, under an epoch; and the SQL about it that several files of this folder share.

import { sql } from 'kysely';
import type { Tx } from '../db/db.ts';

/** The host that holds a session's browser, and the epoch under which it does. */
export type HostHold = { hostId: string; epoch: number };
export type HeldBrowser = HostHold & { sessionId: string };

/** The sessions that a host listed in its last heartbeat, as rows. */
export const reportedSessions =
  'jsonb_to_recordset(h.sessions) as s(session_id uuid, epoch bigint, is_watched boolean, idle_ms bigint)';

/** Keeps a host's count right until its next heartbeat, for agents that look for a free host in the meantime. */
export const countSessions = (tx: Tx, hostId: string, change: 1 | -1) =>
  tx.db
    .updateTable('hosts')
    .set({ session_count: sql`greatest(0, session_count + ${change}::int)` })
    .where('id', '=', hostId)
    .execute();
