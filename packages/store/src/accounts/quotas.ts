// Counts what a user has open, for the quotas.

import type { Tx } from '../db/db.ts';

export type UserCounts = { tasks: number; sessions: number; profiles: number };

export function createQuotas() {
  return {
    /**
     * Keeps other transactions from adding for this user until this one ends; count after it, not before. Take it last,
     * after the locks of the session and the idempotency key.
     */
    async lock({ client }: Tx, userId: string): Promise<void> {
      // `no key update`, so that rows that refer to the user can be written meanwhile.
      await client.query({
        name: 'quotas.lock',
        text: 'select from users where id = $1 for no key update',
        values: [userId],
      });
    },

    async held({ client }: Tx, userId: string): Promise<UserCounts> {
      const { rows } = await client.query<UserCounts>({
        name: 'quotas.held',
        text: `select (select count(*) from tasks where created_by = $1 and finished_at is null) as tasks,
                      (select count(*) from sessions where owner_id = $1 and status <> 'closed') as sessions,
                      (select count(*) from profiles where owner_id = $1) as profiles`,
        values: [userId],
      });
      return rows[0] ?? { tasks: 0, sessions: 0, profiles: 0 };
    },
  };
}
