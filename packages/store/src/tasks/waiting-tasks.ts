// Tasks that wait for a person.

import type { Condition } from '@pilothouse/contract';
import type { Database } from '../db/db.ts';
import { isHostLive } from '../fleet/host-hold.ts';

/** A task that waits for a person or for a condition of its page, and the host that has the page. */
export type PageWait = {
  id: string;
  sessionId: string;
  executionId: string;
  /** Names the question. */
  askedAt: string;
  hostId: string;
  epoch: number;
  until: Condition;
};
type OpenQuestion = { id: string; sessionId: string; executionId: string; askedAt: string };

const maxAtOnce = 50;

export function createWaits({ pool }: Database) {
  return {
    /** Tasks whose page no agent has looked at for this long; each is given to one of the agents that ask. */
    async takeUnlooked(everyMs: number): Promise<PageWait[]> {
      const { rows } = await pool.query<PageWait>({
        name: 'waits.takeUnlooked',
        text: `update tasks set looked_at = clock_timestamp()
               from (select t.id, b.host_id, b.epoch from tasks t
                     join browsers b on b.session_id = t.session_id
                     where t.status = 'awaiting_user' and t.question->'until' <> 'null' and ${isHostLive}
                       and coalesce(t.looked_at < now() - make_interval(secs => $1 / 1000.0), true)
                     order by t.looked_at nulls first limit ${maxAtOnce}
                     for update of t skip locked) as due
               where tasks.id = due.id
               returning tasks.id, session_id as "sessionId", execution_id as "executionId", due.host_id as "hostId",
                 due.epoch, question->>'asked_at' as "askedAt", question->'until' as until`,
        values: [everyMs],
      });
      return rows;
    },

    /** Tasks that wait until a person watches, where one does. No other question has choices of its agent and takes no words. */
    async watched(): Promise<OpenQuestion[]> {
      const { rows } = await pool.query<OpenQuestion>({
        name: 'waits.watched',
        text: `select id, session_id as "sessionId", execution_id as "executionId", question->>'asked_at' as "askedAt"
               from tasks t
               where status = 'awaiting_user' and question->>'kind' = 'choice' and question->>'takes_words' = 'false'
                 and exists (select from viewers v
                             where v.session_id = t.session_id and v.count > 0 and v.until > clock_timestamp())
               limit ${maxAtOnce}`,
      });
      return rows;
    },

    /** Questions that were not answered in time. */
    async expired(): Promise<OpenQuestion[]> {
      const { rows } = await pool.query<OpenQuestion>({
        name: 'waits.expired',
        text: `select id, session_id as "sessionId", execution_id as "executionId", question->>'asked_at' as "askedAt"
               from tasks
               where status = 'awaiting_user' and (question->>'expires_at')::timestamptz < now()
               limit ${maxAtOnce}`,
      });
      return rows;
    },
  };
}
