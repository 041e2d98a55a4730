import type { Condition } from '@pilothouse/contract';
import type { Database } from './db.ts';

/** A task that waits for a person or for its page, and where that page is. */
export type PageWait = {
  id: string;
  sessionId: string;
  executionId: string;
  /** Which of its questions. */
  askedAt: string;
  hostId: string;
  epoch: number;
  until: Condition;
};
export type Expired = { id: string; sessionId: string; executionId: string; askedAt: string };

const maxAtOnce = 50;

/** Tasks that wait for a person. */
export function createWaits({ pool }: Database) {
  return {
    /** Takes those at whose page nobody has looked for so long, for one of all who ask. */
    async takeUnlooked(everyMs: number): Promise<PageWait[]> {
      const { rows } = await pool.query<PageWait>({
        name: 'waits.takeUnlooked',
        text: `update tasks set looked_at = clock_timestamp()
               from (select t.id, b.host_id, b.epoch from tasks t
                     join browsers b on b.session_id = t.session_id
                     join hosts h on h.id = b.host_id and h.boot_id = b.boot_id
                     where t.status = 'awaiting_user' and t.question->'until' <> 'null' and h.lease_until > now()
                       and coalesce(t.looked_at < clock_timestamp() - make_interval(secs => $1 / 1000.0), true)
                     order by t.looked_at nulls first limit ${maxAtOnce}
                     for update of t skip locked) as due
               where tasks.id = due.id
               returning tasks.id, session_id as "sessionId", execution_id as "executionId", due.host_id as "hostId",
                 due.epoch, question->>'asked_at' as "askedAt", question->'until' as until`,
        values: [everyMs],
      });
      return rows;
    },

    /** Those whose question nobody has answered in its time. */
    async expired(): Promise<Expired[]> {
      const { rows } = await pool.query<Expired>({
        name: 'waits.expired',
        text: `select id, session_id as "sessionId", execution_id as "executionId", question->>'asked_at' as "askedAt"
               from tasks
               where status = 'awaiting_user' and (question->>'expires_at')::timestamptz < clock_timestamp()
               limit ${maxAtOnce}`,
      });
      return rows;
    },
  };
}
