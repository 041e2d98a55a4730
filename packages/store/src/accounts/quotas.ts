// Counts what a user has open and what it takes, for the quotas: the one place that does.

import type { Tx } from '../db/db.ts';

export type UserCounts = {
  tasks: number;
  sessions: number;
  profiles: number;
  /** Of pictures that may be removed: the last one of an open session does not count. */
  pictureBytes: number;
  /** Of saved browser states, of open sessions and of profiles. */
  stateBytes: number;
  fileBytes: number;
};

const nothing: UserCounts = { tasks: 0, sessions: 0, profiles: 0, pictureBytes: 0, stateBytes: 0, fileBytes: 0 };

/** What agents have summed up, and the changes since then. */
const bytesOf = (kind: 'pictures' | 'states') => `(
  coalesce((select ${kind} from stored_bytes where user_id = $1), 0)
  + coalesce((select sum(${kind}) from stored_bytes_changes where user_id = $1), 0))::bigint`;

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
        text: `select (select count(*) from tasks where created_by = $1 and finished_at is null and program_id is null) as tasks,
                      (select count(*) from sessions where owner_id = $1 and status <> 'closed') as sessions,
                      (select count(*) from profiles where owner_id = $1) as profiles,
                      ${bytesOf('pictures')} as "pictureBytes", ${bytesOf('states')} as "stateBytes",
                      (select file_bytes from users where id = $1) as "fileBytes"`,
        values: [userId],
      });
      return rows[0] ?? nothing;
    },
  };
}
