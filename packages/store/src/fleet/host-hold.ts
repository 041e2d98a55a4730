// A browser at a host, under an epoch; and the SQL about it that several files of this folder share.

import { sql } from 'kysely';
import type { Tx } from '../db/db.ts';

/** The host that holds a session's browser, and the epoch under which it does. */
export type HostHold = { hostId: string; epoch: number };
export type HeldBrowser = HostHold & { sessionId: string };

/** The sessions that a host listed in its last heartbeat, as rows. */
export const reportedSessions =
  'jsonb_to_recordset(h.sessions) as s(session_id uuid, epoch bigint, is_watched boolean, idle_ms bigint)';

/** The browser of a reported session. PostgreSQL expects many from each host, and would otherwise read all there are. */
export const reportedBrowser = '(select * from browsers where session_id = s.session_id offset 0) as b';

/**
 * The browser `b` is at a host whose lease holds. Looked up for each browser by the host's key: there are few browsers, and
 * the rows of hosts are wide.
 */
export const isHostLive =
  '(select h.boot_id from hosts h where h.id = b.host_id and h.lease_until > now()) = b.boot_id';

/** Keeps a host's count right until its next heartbeat, for agents that look for a free host in the meantime. */
export const countSessions = (tx: Tx, hostId: string, change: 1 | -1) =>
  tx.db
    .updateTable('hosts')
    .set({ session_count: sql`greatest(0, session_count + ${change}::int)` })
    .where('id', '=', hostId)
    .execute();
