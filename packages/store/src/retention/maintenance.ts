// The parts of the work that keeps tables small: when each is due, which an agent has claimed, and when it last succeeded.

import type { Database } from '../db/db.ts';

export function createMaintenance({ pool }: Database) {
  return {
    /** Of these parts, those that are due. */
    async due(parts: readonly string[]): Promise<string[]> {
      const { rows } = await pool.query<{ part: string }>({
        name: 'maintenance.due',
        text: `select p.part from unnest($1::text[]) as p (part) left join maintenance m on m.part = p.part
               where m.due_at is null or m.due_at <= now()`,
        values: [parts],
      });
      return rows.map(({ part }) => part);
    },

    /** Claims a part that is due, and sets when it is due again; false if another agent was first. */
    async claim(part: string, everySecs: number): Promise<boolean> {
      const { rowCount } = await pool.query({
        name: 'maintenance.claim',
        text: `insert into maintenance as m (part, due_at) values ($1, now() + make_interval(secs => $2))
               on conflict (part) do update set due_at = excluded.due_at where m.due_at <= now()`,
        values: [part, everySecs],
      });
      return rowCount === 1;
    },

    async succeed(part: string): Promise<void> {
      await pool.query({
        name: 'maintenance.succeed',
        text: 'update maintenance set succeeded_at = now() where part = $1',
        values: [part],
      });
    },

    /** The part did not succeed: it is due again after this time. */
    async fail(part: string, retrySecs: number): Promise<void> {
      await pool.query({
        name: 'maintenance.fail',
        text: 'update maintenance set due_at = now() + make_interval(secs => $2) where part = $1',
        values: [part, retrySecs],
      });
    },

    /** When each part last succeeded at any agent. */
    async successes(): Promise<{ part: string; succeeded_at: Date }[]> {
      const { rows } = await pool.query<{ part: string; succeeded_at: Date }>({
        name: 'maintenance.successes',
        text: 'select part, succeeded_at from maintenance where succeeded_at is not null',
      });
      return rows;
    },
  };
}
