// Tasks of all users for administrators: what each is in and waits for, without its words.

import { TaskState, type WaitCause } from '@pilothouse/contract';
import { decodeCursor, encodeCursor, toPage } from '../db/cursors.ts';
import type { Database } from '../db/db.ts';
import { causeColumns, waitingSince, withCause } from '../fleet/wait-cause.ts';

export type TaskStandingOfAll = {
  id: string;
  session_id: string;
  created_by: string;
  username: string;
  status: TaskState;
  cause: WaitCause | null;
  waiting_since: Date | null;
  program_id: string | null;
  run_agent_id: string | null;
  current_step: number;
  total_steps: number | null;
  created_at: Date;
  finished_at: Date | null;
};
export type AllTasksFilter = {
  status?: TaskState;
  userId?: string;
  cause?: WaitCause;
  olderThanSecs: number;
  limit: number;
  cursor?: string;
};

/** What a task waits for is in no index. So many tasks are looked at for one page, which may therefore be short. */
const mostLookedAt = 1000;

/** In which states a task can wait for this. */
const statesOf: Record<WaitCause, TaskState[]> = {
  agent: ['pending', 'running'],
  browser: ['running'],
  model: ['running'],
  approval: ['awaiting_user'],
  plan: ['awaiting_user'],
  question: ['awaiting_user'],
  takeover: ['takeover'],
  session: ['pending'],
  clock: ['running'],
};

type Row = TaskStandingOfAll & { looked_at: number; last_at: Date; last_id: string };

const order = 'order by created_at desc, id desc';
const columns = `${causeColumns}, created_by, current_step, total_steps, finished_at`;
/** One page along an index of the state, or of the state and a user. */
const ofEachState = (where: string, before: string) => `
  select found.* from unnest($2::task_status[]) as wanted (status) cross join lateral (
    select ${columns} from tasks where ${where} and status = wanted.status
      and created_at <= now() - make_interval(secs => $3)${before} ${order} limit $1) as found`;

function textOf({ userId, cursor }: AllTasksFilter): string {
  const before = cursor ? ' and (created_at, id) < ($6, $7)' : '';
  const user = cursor ? '$8' : '$6';
  // No task is in both: the second holds only tasks in sessions of other users.
  const source = userId
    ? `${ofEachState(`owner_id = ${user}`, before)} union all
       ${ofEachState(`created_by = ${user} and created_by <> owner_id`, before)}`
    : ofEachState('true', before);
  return `
    with page as materialized (select * from (${source}) as sources ${order} limit $1),
    last as (select created_at, id, (select count(*) from page)::int as looked_at from page order by created_at, id limit 1)
    select last.looked_at, last.created_at as last_at, last.id as last_id, seen.*, u.username
    from last left join lateral (
      select each.*, case when cause is not null then ${waitingSince} end as waiting_since
      from (${withCause('page')}) as each where $4::text is null or cause = $4 ${order} limit $5
    ) as seen on true left join users u on u.id = seen.created_by
    order by seen.created_at desc, seen.id desc`;
}

export function createAllTasks({ pool }: Database) {
  return {
    /** Newest first. With a cause a page may be short, and even empty, although there is a next one. */
    async tasks(filter: AllTasksFilter) {
      const { status, userId, cause, olderThanSecs, limit, cursor } = filter;
      const states = cause ? statesOf[cause] : TaskState.options;
      const position = cursor ? decodeCursor(cursor) : undefined;
      const lookedAt = cause ? Math.max(mostLookedAt, limit + 1) : limit + 1;
      const { rows } = await pool.query<Row>({
        name: `admin.tasks${cursor ? '.cursor' : ''}${userId ? '.user' : ''}`,
        text: textOf(filter),
        values: [
          lookedAt,
          states.filter((one) => !status || one === status),
          olderThanSecs,
          cause ?? null,
          limit + 1,
          ...(position ? [position.at, position.id] : []),
          ...(userId ? [userId] : []),
        ],
      });
      // One row without a task says where the search ended.
      const found = rows.filter(({ id }) => id !== null);
      const page = toPage(found, limit, (row) => ({ at: row.created_at, id: row.id }));
      const [first] = rows;
      const isMore = first !== undefined && first.looked_at >= lookedAt;
      return {
        rows: page.rows,
        nextCursor: page.nextCursor ?? (isMore ? encodeCursor({ at: first.last_at, id: first.last_id }) : null),
      };
    },
  };
}
