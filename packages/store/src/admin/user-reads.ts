// Users, with what each has open and stored.

import type { UserRow } from '../accounts/users.ts';
import { decodeKey, toKeyPage } from '../db/cursors.ts';
import type { Database } from '../db/db.ts';

export type UserStanding = Pick<UserRow, 'id' | 'username' | 'email' | 'role' | 'created_at' | 'disabled_at'> & {
  open_sessions: number;
  open_tasks: number;
  pictures: number;
  states: number;
  files: number;
};

/** Beyond every id: the newest come first. */
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

// What agents have summed up, and the changes since then; as quotas count.
const bytesOf = (kind: 'pictures' | 'states') => `greatest(0,
    coalesce((select ${kind} from stored_bytes where user_id = u.id), 0)
    + coalesce((select sum(${kind}) from stored_bytes_changes where user_id = u.id), 0))::float8 as ${kind}`;

const usersText = `
select u.id, u.username, u.email, u.role, u.created_at, u.disabled_at,
  (select count(*) from sessions where owner_id = u.id and status <> 'closed')::int as open_sessions,
  (select count(*) from tasks where created_by = u.id and finished_at is null and program_id is null)::int as open_tasks,
  ${bytesOf('pictures')}, ${bytesOf('states')}, u.file_bytes::float8 as files
from users u where u.id < $2`;

export function createUserReads({ pool }: Database) {
  return {
    /** Newest first: ids begin with the time. With an id, only this one. */
    async users({ limit, cursor, id }: { limit: number; cursor?: string; id?: string }) {
      const before = cursor ? decodeKey(cursor, 'uuid') : lastId;
      const { rows } = await pool.query<UserStanding>({
        name: `admin.users${id ? '.one' : ''}`,
        text: `${usersText}${id ? ' and u.id = $3' : ''} order by u.id desc limit $1`,
        values: [limit + 1, before, ...(id ? [id] : [])],
      });
      return toKeyPage(rows, limit);
    },
  };
}
