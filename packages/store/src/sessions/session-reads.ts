// Sessions, read on behalf of a caller: a session that the caller may not see reads as one that does not exist.

import type { LastTask, SessionState } from '@pilothouse/contract';
import { type ExpressionBuilder, sql } from 'kysely';
import { type Caller, isBuiltIn } from '../accounts/users.ts';
import { decodeCursor, toPage } from '../db/cursors.ts';
import type { Database, Tx } from '../db/db.ts';
import type { DB } from '../db/generated.ts';
import type { Guest } from './shares.ts';

export type SessionList = { status?: SessionState; limit: number; cursor?: string };

/** What a list shows beside the session: its last task, the task that waits for a person, and the newest picture. */
const ofListed = `
  case when t.id is not null then json_build_object('id', t.id, 'title', t.title, 'status', t.status,
    'current_step', t.current_step, 'current_step_title', t.current_step_title, 'total_steps', t.total_steps,
    'started_at', t.started_at, 'finished_at', t.finished_at) end as last_task,
  case when w.id is not null then json_build_object('task_id', w.id, 'status', w.status,
    'text', left(w.question ->> 'text', 200), 'since', w.paused_at) end as waiting,
  case when f.frame_id is not null then json_build_object('frame_id', f.frame_id, 'recorded_at', f.recorded_at,
    'private', f.private) end as picture`;

const isShared = sql<boolean>`exists (select from shares h where h.session_id = sessions.id and h.expires_at > now())`;

export function createSessionReads({ db, pool }: Database) {
  return {
    visibleTo: (caller: Caller, id: string) =>
      withLog(db).where('sessions.id', '=', id).where(visible(caller)).executeTakeFirst(),

    /** The one session that a share lets a guest watch, while the share is valid. */
    watchedBy: ({ shareId, sessionId }: Guest, id: string) =>
      withLog(db)
        .innerJoin('shares', 'shares.session_id', 'sessions.id')
        .where('sessions.id', '=', id)
        .where('shares.session_id', '=', sessionId)
        .where('shares.id', '=', shareId)
        .where('shares.expires_at', '>', sql<Date>`now()`)
        .executeTakeFirst(),

    /** For a caller who acts in it: an admin may read the sessions of all users, and act only in their own. */
    drivenBy: (tx: Tx, caller: Caller, id: string) =>
      withLog(tx.db).where('sessions.id', '=', id).where(driven(caller)).executeTakeFirst(),

    /** Last active first. A page shows every row once, except those that become active while the caller pages. */
    async listVisibleTo(caller: Caller, { status, limit, cursor }: SessionList) {
      const values: unknown[] = [limit + 1];
      const given = (value: unknown) => `$${values.push(value)}`;
      const wheres: string[] = [];
      if (caller.role !== 'admin') wheres.push(`s.owner_id = ${given(caller.id)}`);
      if (status) wheres.push(`s.status = ${given(status)}`);
      if (cursor) {
        const { at, id } = decodeCursor(cursor);
        wheres.push(`(s.updated_at, s.id) < (${given(at)}, ${given(id)})`);
      }
      const where = wheres.length > 0 ? `where ${wheres.join(' and ')}` : '';
      // Every console reads this list again and again: one prepared statement for each combination of filters.
      const { rows } = await pool.query<ListedSessionRow>({
        // Short: PostgreSQL cuts names at 63 bytes.
        name: `sessions.list.${caller.role}${status ? '.status' : ''}${cursor ? '.cursor' : ''}`,
        text: `select s.*, q.last_event_at,
                 -- Not by "exists", which for a list reads all shares there are.
                 coalesce((select true from shares h where h.session_id = s.id and h.expires_at > now()), false) as shared,
                 coalesce((select sum(v.count) from viewers v
                           where v.session_id = s.id and v.until > clock_timestamp()), 0)::int as viewers,
                 ${ofListed}
               from (select * from sessions s ${where} order by s.updated_at desc, s.id desc limit $1) as s
               -- With limits, each row is looked up; joins could read whole tables for a page.
               cross join lateral (select last_event_at from session_seq where session_id = s.id limit 1) as q
               left join lateral (select * from tasks where id = s.last_task_id limit 1) as t on true
               left join lateral (select * from frames where session_id = s.id limit 1) as f on true
               left join lateral (
                 select id, status, question, paused_at from tasks
                 where session_id = s.id and status in ('pending', 'running', 'awaiting_user', 'takeover')
                   and status in ('awaiting_user', 'takeover')
                 order by first_seq, id limit 1) as w on true
               order by s.updated_at desc, s.id desc`,
        values,
      });
      return toPage(rows, limit, (row) => ({ at: row.updated_at, id: row.id }));
    },
  };
}

function withLog(db: Database['db']) {
  return db
    .selectFrom('sessions')
    .innerJoin('session_seq', 'session_seq.session_id', 'sessions.id')
    .selectAll('sessions')
    .select(['session_seq.last_event_at', 'session_seq.last_seq'])
    .select(isShared.as('shared'));
}

/** With the number of the last event that the rest includes. */
export type ReadSession = NonNullable<Awaited<ReturnType<ReturnType<typeof createSessionReads>['visibleTo']>>>;
export type SessionRow = Omit<ReadSession, 'last_seq'>;
/** A session in a list. Times within are JSON. */
export type ListedSessionRow = SessionRow & {
  viewers: number;
  last_task: LastTask | null;
  waiting: { task_id: string; status: 'awaiting_user' | 'takeover'; text: string | null; since: string } | null;
  picture: { frame_id: string; recorded_at: string; private: boolean } | null;
};

const visible = (caller: Caller) => (expression: ExpressionBuilder<DB, 'sessions'>) =>
  caller.role === 'admin' ? expression.lit(true) : expression('sessions.owner_id', '=', caller.id);

const driven = (caller: Caller) => (expression: ExpressionBuilder<DB, 'sessions'>) =>
  isBuiltIn(caller) ? visible(caller)(expression) : expression('sessions.owner_id', '=', caller.id);
