import { type BrowserState, type SessionMove, type SessionState, sessionMoves } from '@pilothouse/contract';
import { type ExpressionBuilder, sql } from 'kysely';
import type { Database, Tx } from './db.ts';
import type { DB } from './generated.ts';
import { newId } from './ids.ts';
import { decodeCursor, toPage } from './pages.ts';
import type { Guest } from './shares.ts';
import { type Caller, isBuiltIn } from './users.ts';

export type NewSession = {
  id?: string;
  title?: string | null;
  profileId?: string | null;
  profileLabel?: string | null;
  viewport: { width: number; height: number };
  recording?: boolean;
};
export type SessionList = { status?: SessionState; limit: number; cursor?: string };

const now = sql<Date>`date_trunc('milliseconds', clock_timestamp())`;
/** Whether its place in lists is older than what happens in it may be. */
const isLeftBehind = sql<boolean>`updated_at < clock_timestamp() - interval '10 s'`;
const isShared = sql<boolean>`exists (select from shares h where h.session_id = sessions.id and h.expires_at > now())`;
type Locked = { isLeftBehind: boolean };

/** Sessions, always asked for on somebody's behalf: who may not see one gets the same nothing as for one that is not. */
export function createSessions({ db, pool }: Database) {
  return {
    async create(tx: Tx, owner: Caller, wanted: NewSession) {
      const { id = newId(), title, profileId, profileLabel, viewport, recording = false } = wanted;
      const session = await tx.db
        .insertInto('sessions')
        .values({
          id,
          owner_id: owner.id,
          title: title ?? null,
          profile_id: profileId ?? null,
          profile_label: profileLabel ?? null,
          viewport_width: viewport.width,
          viewport_height: viewport.height,
          recording,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      await tx.db.insertInto('session_seq').values({ session_id: session.id }).execute();
      return { ...session, last_event_at: null, last_seq: 0, shared: false };
    },

    visibleTo: (caller: Caller, id: string) =>
      withLog(db).where('sessions.id', '=', id).where(visible(caller)).executeTakeFirst(),

    /** The one session that a share lets watch, while it does. */
    watchedBy: ({ shareId, sessionId }: Guest, id: string) =>
      withLog(db)
        .innerJoin('shares', 'shares.session_id', 'sessions.id')
        .where('sessions.id', '=', id)
        .where('shares.session_id', '=', sessionId)
        .where('shares.id', '=', shareId)
        .where('shares.expires_at', '>', sql<Date>`now()`)
        .executeTakeFirst(),

    /** For whoever wants to act in it: an admin may read everybody's, and act only in their own. */
    drivenBy: (tx: Tx, caller: Caller, id: string) =>
      withLog(tx.db).where('sessions.id', '=', id).where(driven(caller)).executeTakeFirst(),

    /** Read in the transaction that has locked its row. */
    locked: (tx: Tx, id: string) => tx.db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirst(),

    /** For processes of our own, which act on nobody's behalf. */
    byId: (id: string) => db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirst(),

    /** Newest activity first. Every row is met once, but for those that move to the front while somebody pages. */
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
      // The list that every console asks for again and again: prepared once for each way to ask.
      const { rows } = await pool.query<SessionRow & { viewers: number }>({
        // Short: PostgreSQL keeps 63 bytes of a name.
        name: `sessions.list.${caller.role}${status ? '.status' : ''}${cursor ? '.cursor' : ''}`,
        text: `select s.*, q.last_event_at,
                 -- Not by "exists", which for a list reads all shares there are.
                 coalesce((select true from shares h where h.session_id = s.id and h.expires_at > now()), false) as shared,
                 coalesce((select sum(v.count) from viewers v
                           where v.session_id = s.id and v.until > clock_timestamp()), 0)::int as viewers
               from sessions s join session_seq q on q.session_id = s.id
               ${where} order by s.updated_at desc, s.id desc limit $1`,
        values,
      });
      return toPage(rows, limit, (row) => ({ at: row.updated_at, id: row.id }));
    },

    /** Moves the session if its state allows it; otherwise changes nothing and returns undefined. */
    move: (tx: Tx, id: string, move: SessionMove) =>
      tx.db
        .updateTable('sessions')
        .set({ status: sessionMoves[move].to, updated_at: now })
        .where('id', '=', id)
        .where('status', 'in', [...sessionMoves[move].from])
        .returningAll()
        .executeTakeFirst(),

    /** Says how the browser is; nothing, where it was so already. */
    setBrowser: (tx: Tx, id: string, browser: BrowserState) =>
      tx.db
        .updateTable('sessions')
        .set({ browser })
        .where('id', '=', id)
        .where('browser', '<>', browser)
        .returningAll()
        .executeTakeFirst(),

    /** Takes the session for the rest of the transaction: whoever appends to its log or changes its state comes first here. */
    async lock(tx: Tx, id: string): Promise<Locked | undefined> {
      return tx.db
        .selectFrom('sessions')
        .select(isLeftBehind.as('isLeftBehind'))
        .where('id', '=', id)
        .forUpdate()
        .executeTakeFirst();
    },

    /** Says that something happens in it, for its place in lists. */
    async touch(tx: Tx, id: string): Promise<void> {
      await tx.db.updateTable('sessions').set({ updated_at: now }).where('id', '=', id).execute();
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

/** With the last event that the rest has seen. */
export type ReadSession = NonNullable<Awaited<ReturnType<ReturnType<typeof createSessions>['visibleTo']>>>;
export type SessionRow = Omit<ReadSession, 'last_seq'>;

const visible = (caller: Caller) => (expression: ExpressionBuilder<DB, 'sessions'>) =>
  caller.role === 'admin' ? expression.lit(true) : expression('sessions.owner_id', '=', caller.id);

const driven = (caller: Caller) => (expression: ExpressionBuilder<DB, 'sessions'>) =>
  isBuiltIn(caller) ? visible(caller)(expression) : expression('sessions.owner_id', '=', caller.id);
