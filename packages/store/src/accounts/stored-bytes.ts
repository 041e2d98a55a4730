// What the pictures and saved states of each user take. Tables report changes by triggers, and agents sum them up; quotas.ts
// reads both.

import type { Database } from '../db/db.ts';

/** `total` of all users, and `largest` of the user who has most. */
export type KindBytes = { kind: 'pictures' | 'states' | 'files'; total: number; largest: number };
export type StoredTotals = { kinds: KindBytes[]; databaseBytes: number };

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

    /** What all users take, as far as it is summed up. Reads one row for each user: ask it seldom. */
    async totals(): Promise<StoredTotals> {
      const { rows } = await pool.query<KindBytes & { databaseBytes: number }>({
        name: 'stored.totals',
        text: `select kind, total::float8, largest::float8, pg_database_size(current_database())::float8 as "databaseBytes"
               from (
                 select 'pictures' as kind, coalesce(sum(pictures), 0) as total, coalesce(max(pictures), 0) as largest
                 from stored_bytes
                 union all select 'states', coalesce(sum(states), 0), coalesce(max(states), 0) from stored_bytes
                 union all select 'files', coalesce(sum(file_bytes), 0), coalesce(max(file_bytes), 0) from users
               ) as summed`,
      });
      return { kinds: rows, databaseBytes: rows[0]?.databaseBytes ?? 0 };
    },
  };
}
