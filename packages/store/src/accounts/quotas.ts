import type { Tx } from './db.ts';

/** How much of what is limited a user has. */
export type Held = { tasks: number; sessions: number; profiles: number };

/** Counts what users have open. */
export function createQuotas() {
  return {
    /**
     * Keeps everybody else from adding for this user until the transaction ends; count after it, not before. Take it
     * last, after the session and the key.
     */
    async lock({ client }: Tx, userId: string): Promise<void> {
      // Not the lock of an update of the key, so that rows which refer to the user can be written meanwhile.
      await client.query({
        name: 'quotas.lock',
        text: 'select from users where id = $1 for no key update',
        values: [userId],
      });
    },

    async held({ client }: Tx, userId: string): Promise<Held> {
      const { rows } = await client.query<Held>({
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
