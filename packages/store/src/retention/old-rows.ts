// Removes rows that only their age makes useless: ended takeovers, expired shares, rows of files that are gone, audit.

import { countRows } from '../db/count-rows.ts';
import type { Database } from '../db/db.ts';

export function createOldRows({ pool }: Database) {
  const remove =
    (name: string, text: string) =>
    async (days: number, limit: number): Promise<number> => {
      return countRows(pool, { name: `oldRows.${name}`, text, values: [days, limit] });
    };

  /** Each removes one batch that no other agent has; returns how many rows. */
  return {
    takeovers: remove(
      'takeovers',
      `delete from takeovers where id in (
         select id from takeovers where status = 'ended' and ended_at < now() - make_interval(days => $1)
         order by ended_at limit $2 for update skip locked)`,
    ),
    /** Their tokens are refused from the moment they expire. */
    shares: remove(
      'shares',
      `delete from shares where session_id in (
         select session_id from shares where expires_at < now() - make_interval(days => $1)
         order by expires_at limit $2 for update skip locked)`,
    ),
    /** Their bytes were removed long ago; the row only said that there was such a file. */
    goneFiles: remove(
      'goneFiles',
      `delete from files where id in (
         select id from files where retention = 'gone' and created_at < now() - make_interval(days => $1)
         order by created_at limit $2 for update skip locked)`,
    ),
    audit: remove(
      'audit',
      `delete from audit where id in (
         select id from audit where id < first_uuid_at(now() - make_interval(days => $1))
         order by id limit $2 for update skip locked)`,
    ),

    /** For how many seconds the oldest of each has been due for removal; 0 if none is. */
    async overdueSecs(days: { takeovers: number; audit: number }): Promise<{ takeovers: number; audit: number }> {
      const { rows } = await pool.query<{ takeovers: number | null; audit: number | null }>({
        name: 'oldRows.overdue',
        text: `select
                 (select extract(epoch from now() - make_interval(days => $1) - ended_at)::float8
                  from takeovers where status = 'ended' order by ended_at limit 1) as takeovers,
                 (select extract(epoch from now() - make_interval(days => $2) - recorded_at)::float8
                  from audit order by id limit 1) as audit`,
        values: [days.takeovers, days.audit],
      });
      return { takeovers: Math.max(0, rows[0]?.takeovers ?? 0), audit: Math.max(0, rows[0]?.audit ?? 0) };
    },
  };
}
