// What people were asked to say yes to, and what they said. Each change is one conditional statement, by the database's clock.

import type { ActClass, ApprovalAnswer } from '@pilothouse/contract';
import type { Selectable } from 'kysely';
import type { Database, Tx } from '../db/db.ts';
import type { Approvals as ApprovalTable } from '../db/generated.ts';

/** `approver`: the name of the person who answered. `has_lapsed`: a yes that can no longer be used. */
export type ApprovalRow = Omit<Selectable<ApprovalTable>, 'class' | 'answer'> & {
  class: ActClass;
  answer: ApprovalAnswer | null;
  approver: string | null;
  has_lapsed: boolean;
};
export type NewApproval = {
  id: string;
  taskId: string;
  stepIndex: number;
  fingerprint: string;
  class: ActClass;
  site: string;
  /** The act as the person is told of it. */
  facts: object;
  expiresInSecs: number;
};
/** A yes is used within this time, or the person is asked again. */
const yesSecs = 900;

const ofText = `select a.*, p.username as approver, a.expires_at <= clock_timestamp() as has_lapsed
from approvals a left join users p on p.id = a.answered_by where a.task_id = $1 order by a.asked_at, a.id`;

export function createApprovals({ pool }: Database) {
  async function of(taskId: string): Promise<ApprovalRow[]> {
    const { rows } = await pool.query<ApprovalRow>({ name: 'approvals.of', text: ofText, values: [taskId] });
    return rows;
  }

  return {
    async add({ client }: Tx, approval: NewApproval): Promise<void> {
      const { id, taskId, stepIndex, fingerprint, site, facts, expiresInSecs } = approval;
      await client.query({
        name: 'approvals.add',
        text: `insert into approvals (id, task_id, step_index, fingerprint, class, site, facts, expires_at)
               values ($1, $2, $3, $4, $5, $6, $7, clock_timestamp() + make_interval(secs => $8))`,
        values: [id, taskId, stepIndex, fingerprint, approval.class, site, JSON.stringify(facts), expiresInSecs],
      });
    },

    /** What a person says to the newest of a task, once. Undefined where nothing waits for it, or not any more. */
    async answer({ client }: Tx, taskId: string, answer: ApprovalAnswer, userId: string): Promise<string | undefined> {
      const { rows } = await client.query<{ id: string }>({
        name: 'approvals.answer',
        text: `update approvals set answer = $2, answered_by = $3, answered_at = clock_timestamp(),
                 expires_at = case when $2 = 'once' then clock_timestamp() + make_interval(secs => ${yesSecs})
                              else expires_at end
               where id = (select id from approvals where task_id = $1 order by asked_at desc, id desc limit 1)
                 and answer is null and expires_at > clock_timestamp()
               returning id`,
        values: [taskId, answer, userId],
      });
      return rows[0]?.id;
    },

    /** Uses up a yes, in the transaction that records the attempt. False where it was used, has lapsed, or is none. */
    async use({ client }: Tx, { id, taskId }: { id: string; taskId: string }): Promise<boolean> {
      const { rowCount } = await client.query({
        name: 'approvals.use',
        text: `update approvals set used_at = clock_timestamp()
               where id = $1 and task_id = $2 and answer = 'once' and used_at is null and expires_at > clock_timestamp()`,
        values: [id, taskId],
      });
      return rowCount === 1;
    },

    of,
  };
}
