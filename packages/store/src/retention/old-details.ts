// Removes the details of tasks that ended long ago: log lines and messages, attempts, observations. Tasks are walked through in the order
// in which they ended, and the place is kept, so that none is looked at twice. The rows of tasks stay.

import { countRows } from '../db/count-rows.ts';
import type { Database, Tx } from '../db/db.ts';

export const details = {
  logs: ['logs', 'task_messages'],
  steps: ['steps', 'executions', 'decisions', 'model_calls', 'approvals'],
  observations: ['observations'],
} as const;
export type Detail = keyof typeof details;
export const detailNames = Object.keys(details) as Detail[];

type Position = { finishedAt: string; id: string };

const start: Position = { finishedAt: '-infinity', id: '00000000-0000-0000-0000-000000000000' };
/** Of one batch; a task with more is finished by the next ones. */
const maxRows = 500;

const nextText = `
select id, finished_at::text as "finishedAt" from tasks
where (finished_at, id) > ($1::timestamptz, $2::uuid) and finished_at < now() - make_interval(days => $3)
order by finished_at, id limit $4`;

async function removeRows({ client }: Tx, table: string, taskIds: string[]): Promise<number> {
  return countRows(client, {
    name: `details.remove.${table}`,
    text: `delete from ${table} where ctid = any (array(
             select ctid from ${table} where task_id = any($1) limit ${maxRows} for update skip locked))`,
    values: [taskIds],
  });
}

/** Rows that another transaction had locked were passed over. */
async function hasRows({ client }: Tx, table: string, taskIds: string[]): Promise<boolean> {
  const { rows } = await client.query<{ is_there: boolean }>({
    name: `details.left.${table}`,
    text: `select exists (select from ${table} where task_id = any($1)) as is_there`,
    values: [taskIds],
  });
  return rows[0]?.is_there === true;
}

export function createOldDetails({ pool, transaction }: Database) {
  async function positionOf({ client }: Tx, part: string): Promise<Position | undefined> {
    await client.query({
      name: 'details.begin',
      text: 'insert into maintenance (part, due_at) values ($1, now()) on conflict (part) do nothing',
      values: [part],
    });
    const { rows } = await client.query<{ position: Position | null }>({
      name: 'details.position',
      text: 'select position from maintenance where part = $1 for update skip locked',
      values: [part],
    });
    return rows[0] && (rows[0].position ?? start);
  }

  return {
    /**
     * Removes this detail of the next tasks that ended more than `days` ago; returns how many tasks and rows it passed.
     * 0: none is left, another agent is at it, or what is left is locked.
     */
    remove: (detail: Detail, days: number, limit: number): Promise<number> =>
      transaction(async (tx) => {
        const position = await positionOf(tx, detail);
        if (!position) return 0;
        const { rows: tasks } = await tx.client.query<{ id: string; finishedAt: string }>({
          name: 'details.next',
          text: nextText,
          values: [position.finishedAt, position.id, days, limit],
        });
        const last = tasks.at(-1);
        if (!last) return 0;
        const taskIds = tasks.map(({ id }) => id);
        let removed = 0;
        for (const table of details[detail]) {
          removed += await removeRows(tx, table, taskIds);
          // The same tasks again: nobody comes back to those that were passed.
          if (await hasRows(tx, table, taskIds)) return removed;
        }
        await tx.client.query({
          name: 'details.goOn',
          text: 'update maintenance set position = $2 where part = $1',
          values: [detail, JSON.stringify(last)],
        });
        return removed + tasks.length;
      }),

    /** For how many seconds the details of the next task have been due for removal; 0 if they are not. */
    async overdueSecs(detail: Detail, days: number): Promise<number> {
      const { rows } = await pool.query<{ secs: number }>({
        name: 'details.overdue',
        text: `with place as (
                 select coalesce((select (position->>'finishedAt')::timestamptz from maintenance where part = $1),
                                 '-infinity') as finished_at,
                   coalesce((select (position->>'id')::uuid from maintenance where part = $1), $3) as id
               )
               select greatest(0, extract(epoch from now() - make_interval(days => $2) - t.finished_at))::float8 as secs
               from tasks t where (t.finished_at, t.id) > (select finished_at, id from place)
               order by t.finished_at, t.id limit 1`,
        values: [detail, days, start.id],
      });
      return rows[0]?.secs ?? 0;
    },
  };
}
