// A commit that a synchronous standby has not confirmed is no commit for us, although PostgreSQL may report it as one.

import type { EventEmitter } from 'node:events';
import type pg from 'pg';

/** The function of PostgreSQL that says so. Its words are in the language of the server. */
const confirmation = 'SyncRepWaitForLSN';

/**
 * An operator who cancels a statement that waits for the standby (`pg_cancel_backend`) gets a commit: PostgreSQL warns that it may not be
 * replicated, and then says that it succeeded. A failover to that standby would lose it. So its statement fails as if the connection
 * had broken at the commit, which may have happened. The connection is not used again.
 */
export function refuseUnreplicated(client: pg.ClientBase): void {
  client.on('notice', ({ routine }) => {
    if (routine !== confirmation) return;
    // The message that the commit succeeded is read next. What reads them is not in the types.
    const { connection } = client as unknown as { connection: EventEmitter };
    connection.emit('error', new Error('Connection terminated: the standby has not confirmed the commit'));
  });
}
