// Sessions that leave a host in mid-task, one at a time: two that saw the same free place would both give up their browsers for it.

import type { Database } from '../db/db.ts';

/** One row for the whole installation, under an id that no session has. */
const onlyMove = '00000000-0000-0000-0000-000000000000';
/** Longer than a browser may take to be closed and opened; after that the agent is taken for dead. */
const moveSecs = 45;

export function createMoves({ pool }: Database) {
  return {
    /**
     * The claim; undefined while another session moves, or any waits for a browser: it would be next. Look for room only after it.
     */
    async begin(): Promise<string | undefined> {
      const { rows } = await pool.query<{ claim: string }>({
        name: 'moves.begin',
        text: `insert into job_claims as c (job, session_id, until)
               select 'move', $1, clock_timestamp() + interval '${moveSecs} seconds'
               where not exists (select from browser_waits w where w.until > now())
               on conflict (job, session_id) do update set until = excluded.until where c.until <= now()
               returning until::text as claim`,
        values: [onlyMove],
      });
      return rows[0]?.claim;
    },

    /** Changes nothing where the claim was over, and another one has it. */
    async end(claim: string): Promise<void> {
      await pool.query({
        name: 'moves.end',
        text: `delete from job_claims where job = 'move' and session_id = $1 and until = $2::timestamptz`,
        values: [onlyMove, claim],
      });
    },
  };
}
