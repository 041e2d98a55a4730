// What the pictures, saved states and files of each user take. Tables report changes by triggers; agents sum them up.

import type { Database } from '../db/db.ts';

export type StoredBytes = {
  /** Those that may be removed: the last picture of an open session does not count. */
  pictures: number;
  /** Saved browser states, of open sessions and of profiles. */
  states: number;
  files: number;
};

/** The bytes of one user, with changes that no agent has summed up yet. */
export const storedBytesText = `
select coalesce(b.pictures, 0) + coalesce(c.pictures, 0) as pictures,
  coalesce(b.states, 0) + coalesce(c.states, 0) as states, u.file_bytes as files
from users u left join stored_bytes b on b.user_id = u.id
cross join lateral (
  select sum(pictures)::bigint as pictures, sum(states)::bigint as states from stored_bytes_changes where user_id = u.id
) as c
where u.id = $1`;

export function createStoredBytes({ pool }: Database) {
  return {
    async of(userId: string): Promise<StoredBytes> {
      const { rows } = await pool.query<StoredBytes>({ name: 'stored.of', text: storedBytesText, values: [userId] });
      return rows[0] ?? { pictures: 0, states: 0, files: 0 };
    },

    /** Sums up changes; returns how many. Changes that another agent sums up are skipped. */
    async sumUp(limit: number): Promise<number> {
      const { rows } = await pool.query<{ count: number }>({
        name: 'stored.sumUp',
        text: `with taken as (
                 delete from stored_bytes_changes where id in (
                   select id from stored_bytes_changes order by id limit $1 for update skip locked)
                 returning user_id, pictures, states
               ), summed as (
                 insert into stored_bytes as b (user_id, pictures, states)
                 select user_id, sum(pictures), sum(states) from taken group by user_id order by user_id
                 on conflict (user_id) do update
                 set pictures = b.pictures + excluded.pictures, states = b.states + excluded.states
               )
               select count(*)::int as count from taken`,
        values: [limit],
      });
      return rows[0]?.count ?? 0;
    },
  };
}
