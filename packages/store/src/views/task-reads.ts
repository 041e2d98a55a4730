// Reads of tasks that every viewer repeats: prepared statements, each found along an index.

import { TaskState } from '@pilothouse/contract';
import type { Caller } from '../accounts/users.ts';
import { decodeCursor, toPage } from '../db/cursors.ts';
import type { Database } from '../db/db.ts';
import type { DecisionWords } from '../ledger/decisions.ts';
import { type ObservationRow, pictureText } from '../ledger/observations.ts';
import type { StepRow } from '../ledger/steps.ts';
import type { TakeoverRow } from '../takeovers/takeovers.ts';
import type { TaskRow } from '../tasks/tasks.ts';

/** The status of a task, as it was at one moment. */
export type TaskStanding = {
  task: TaskRow;
  /** The number of the last event of its session that the rest includes. */
  lastSeq: number;
  stepCount: number;
  /** The last ended attempts and the last pictures, oldest first. */
  lines: (StepRow & Partial<DecisionWords>)[];
  pictures: ObservationRow[];
  /** The open takeover. */
  takeover: TakeoverRow | null;
};

const attemptsShown = 40;
const picturesShown = 8;

/**
 * One statement, and so one moment: a stream that follows from `last_seq` on misses no event. Every part is found by
 * the id of the task, so the cost does not depend on the number of tasks.
 */
const standingText = `
select t.*, q.last_seq,
  (select count(*) from steps where task_id = t.id) as step_count,
  (select json_agg(l order by l.index, l.try) from (
     select s.*, d.goal, d.evaluation, d.thinking from steps s
     left join decisions d on d.task_id = t.id and s.index between d.first_step and d.last_step
     where s.task_id = t.id and s.status <> 'running' order by s.index desc, s.try desc limit ${attemptsShown}) l) as lines,
  (select json_agg(o order by o.seq) from (
     select * from observations where task_id = t.id and ${pictureText}
     order by seq desc limit ${picturesShown}) o) as pictures,
  (select to_json(w) from takeovers w
   where w.session_id = t.session_id and w.status <> 'ended'
     and (w.task_id = t.id or t.program_id is not null and t.finished_at is null and w.task_id is null)) as takeover
from tasks t join session_seq q on q.session_id = t.session_id
where t.id = $1 and ($3 or t.owner_id = $2 or t.created_by = $2)`;

type StandingRow = TaskRow & {
  last_seq: number;
  step_count: number;
  lines: JsonRow[] | null;
  pictures: JsonRow[] | null;
  takeover: JsonRow | null;
};
/** A row as JSON. */
type JsonRow = Record<string, unknown>;

export type TaskList = { sessionId?: string; status?: TaskState; limit: number; cursor?: string };
/** A task as a list shows it: without prompt, plan and result. */
export type ListedTask = Pick<TaskRow, (typeof listedColumns)[number]>;
const listedColumns = [
  'id',
  'session_id',
  'owner_id',
  'created_by',
  'title',
  'status',
  'current_step',
  'current_step_title',
  'last_error',
  'created_at',
  'started_at',
  'finished_at',
] as const;
const columns = listedColumns.join(', ');

export function createTaskReads({ pool }: Database) {
  return {
    /** Undefined if there is no such task, or the caller may not see it. */
    async standing(caller: Caller, id: string): Promise<TaskStanding | undefined> {
      const { rows } = await pool.query<StandingRow>({
        name: 'tasks.standing',
        text: standingText,
        values: [id, caller.id, caller.role === 'admin'],
      });
      if (!rows[0]) return undefined;
      const { last_seq, step_count, lines, pictures, takeover, ...task } = rows[0];
      return {
        task,
        lastSeq: last_seq,
        stepCount: step_count,
        lines: (lines ?? []).map((line) => withTimes<StepRow & Partial<DecisionWords>>(line, 'intent_at', 'effect_at')),
        pictures: (pictures ?? []).map((picture) => withTimes<ObservationRow>(picture, 'recorded_at')),
        takeover: takeover && readTakeover(takeover),
      };
    },

    /** Newest first. The order never changes, so pages stay correct while tasks are added. */
    async listVisibleTo(caller: Caller, { sessionId, status, limit, cursor }: TaskList) {
      const values: unknown[] = [limit + 1, status ? [status] : TaskState.options];
      const given = (value: unknown) => `$${values.push(value)}`;
      const me = caller.role === 'admin' ? undefined : given(caller.id);
      const session = sessionId && given(sessionId);
      const position = cursor ? decodeCursor(cursor) : undefined;
      const before = position ? ` and (created_at, id) < (${given(position.at)}, ${given(position.id)})` : '';
      const order = 'order by created_at desc, id desc limit $1';

      const ofEachState = (where: string) => `
        select found.* from unnest($2::task_status[]) as wanted (status) cross join lateral (
          select ${columns} from tasks where ${where} and status = wanted.status${before} ${order}) as found`;
      const ofSession = () => `
        select ${columns} from tasks where session_id = ${session} and status = any($2)${before}
        ${me ? `and (owner_id = ${me} or created_by = ${me})` : ''} ${order}`;
      // No task is in both: the second holds only tasks in sessions of other users.
      const ofCaller = () =>
        `${ofEachState(`owner_id = ${me}`)} union all ${ofEachState(`created_by = ${me} and created_by <> owner_id`)}`;
      const source = session ? ofSession() : me ? ofCaller() : ofEachState('true');

      const { rows } = await pool.query<ListedTask>({
        name: `tasks.list.${caller.role}${session ? '.session' : ''}${cursor ? '.cursor' : ''}`,
        text: `select * from (${source}) as sources ${order}`,
        values,
      });
      return toPage(rows, limit, (row) => ({ at: row.created_at, id: row.id }));
    },

    /** Tasks that wait for a person, longest wait first. */
    async inboxOf(caller: Caller, { limit, cursor }: { limit: number; cursor?: string }) {
      const position = cursor ? decodeCursor(cursor) : undefined;
      const isAdmin = caller.role === 'admin';
      const { rows } = await pool.query<InboxRow & { takeover: JsonRow | null }>({
        name: `tasks.inbox.${caller.role}`,
        text: inboxText(isAdmin),
        values: [limit + 1, position?.at ?? '-infinity', position?.id ?? firstId, ...(isAdmin ? [] : [caller.id])],
      });
      const read = rows.map((row) => ({ ...row, takeover: row.takeover && readTakeover(row.takeover) }));
      return toPage(read, limit, (row) => ({ at: row.paused_at, id: row.id }));
    },
  };
}

const firstId = '00000000-0000-0000-0000-000000000000';

/** Each part is one page along an index that holds only tasks that wait for a person, of all users or of one. */
function inboxText(isAdmin: boolean): string {
  const page = (where: string) => `(
    select * from tasks where status in ('awaiting_user', 'takeover') and ${where} and (paused_at, id) > ($2, $3::uuid)
    order by paused_at, id limit $1)`;
  // No task is in both: the second holds only tasks in sessions of other users.
  const ofCaller = () => `${page('owner_id = $4')} union all ${page('created_by = $4 and created_by <> owner_id')}`;
  return `
    select t.id, t.session_id, t.owner_id, t.created_by, t.title, t.status, t.paused_at, t.question,
      (select to_json(w) from takeovers w
       where w.session_id = t.session_id and w.status <> 'ended'
     and (w.task_id = t.id or t.program_id is not null and t.finished_at is null and w.task_id is null)) as takeover
    from (${isAdmin ? page('true') : ofCaller()}) as t
    order by t.paused_at, t.id limit $1`;
}

/** A task that waits for a person, and since when. */
export type InboxRow = Pick<TaskRow, 'id' | 'session_id' | 'owner_id' | 'created_by' | 'title' | 'question'> & {
  status: 'awaiting_user' | 'takeover';
  paused_at: Date;
  takeover: TakeoverRow | null;
};

const readTakeover = (row: JsonRow) =>
  withTimes<TakeoverRow>(
    row,
    'requested_at',
    'activated_at',
    'ended_at',
    'expires_at',
    'renewed_at',
    'input_at',
    'returned_at',
  );

/** The row as the database driver would have read it: only times differ in JSON. */
function withTimes<Row extends object>(row: JsonRow, ...names: (keyof Row & string)[]): Row {
  const times = names.map((name) => [name, row[name] === null ? null : new Date(String(row[name]))]);
  return { ...row, ...Object.fromEntries(times) } as Row;
}
