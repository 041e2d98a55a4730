// Work that every agent finds and one agent does: each session that a job finds is given to one of the agents that look.

import { countRows } from './count-rows.ts';
import type { Database } from './db.ts';

/** After this time without an end of the work, another agent may take it. Agents look about as often. */
const claimSecs = 5;

/** As SQL: no agent has taken the session for this job. `found` must not give those that one has. */
export const isUnclaimed = (job: string, sessionId: string) => `not exists (
  select from job_claims taken where taken.job = '${job}' and taken.session_id = ${sessionId} and taken.until > now())`;

/** As SQL: the expression `claimed`, which holds those sessions of `found` that this statement took. */
export const claimFound = (job: string) => `claimed as (
  insert into job_claims as c (job, session_id, until)
  select distinct '${job}', session_id, now() + interval '${claimSecs} seconds' from found order by session_id
  on conflict (job, session_id) do update set until = excluded.until where c.until <= now()
  returning c.session_id)`;

export function createJobClaims({ pool }: Database) {
  return {
    /** Removes claims that are over. */
    async sweep(limit: number): Promise<number> {
      return countRows(pool, {
        name: 'jobClaims.sweep',
        text: `delete from job_claims where (job, session_id) in (
                 select job, session_id from job_claims where until < now() - interval '1 minute'
                 limit $1 for update skip locked)`,
        values: [limit],
      });
    },
  };
}
