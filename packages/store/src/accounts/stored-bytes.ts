// What the pictures and saved states of each user take. Tables report changes by triggers, and agents sum them up; quotas.ts
// reads both.

import type { Database } from '../db/db.ts';

export function createStoredBytes({ pool }: Database) {
  return {
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
