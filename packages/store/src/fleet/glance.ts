// One cheap statement that tells an agent which of its jobs may have anything to do. An idle installation is asked nothing
// else by them.

import type { Database } from '../db/db.ts';
import { isMissing, lockSpace } from './agents.ts';

export type Glance = {
  hasMissingAgent: boolean;
  hasTakeovers: boolean;
  /** Programs are connected to sessions, or have left tasks open. */
  hasPrograms: boolean;
  /** Live hosts have browsers open. */
  hasBrowsers: boolean;
  /** Tasks wait for a person. */
  hasQuestions: boolean;
  /** Tasks are at work in sessions that are recorded and have a browser. */
  hasRecordings: boolean;
  /** Tasks wait for a browser. */
  hasTaskWaits: boolean;
  /** Tasks are due. */
  hasDue: boolean;
};

export function createGlance({ pool }: Database) {
  return async function glance(agentId: string, leaseMs: number): Promise<Glance> {
    const { rows } = await pool.query<Glance>({
      name: 'glance',
      text: `select
               exists (select from agents where recovered_at is null and id <> $2 and ${isMissing}) as "hasMissingAgent",
               exists (select from takeovers where status <> 'ended') as "hasTakeovers",
               exists (select from program_connections)
                 or exists (select from tasks where program_id is not null and finished_at is null) as "hasPrograms",
               exists (select from hosts where lease_until > now() and session_count > 0) as "hasBrowsers",
               exists (select from tasks where status = 'awaiting_user') as "hasQuestions",
               exists (select from sessions s where s.recording and s.browser <> 'cold' and exists (
                 select from tasks t where t.session_id = s.id and t.status in ('running', 'takeover')
                   and t.program_id is null)) as "hasRecordings",
               exists (select from browser_waits where for_task) as "hasTaskWaits",
               exists (select from tasks where run_due_at <= now() and run_agent_id is null) as "hasDue"`,
      values: [lockSpace, agentId, leaseMs],
    });
    const [seen] = rows;
    if (!seen) throw new Error('a select without rows');
    return seen;
  };
}
