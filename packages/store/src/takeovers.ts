import type { BrowserRoute, Takeover } from '@pilothouse/contract';
import { type Selectable, sql } from 'kysely';
import type { Database, Tx } from './db.ts';
import type { Takeovers } from './generated.ts';
import { newId } from './ids.ts';
import { type Caller, isBuiltIn } from './users.ts';

export type TakeoverRow = Selectable<Takeovers>;
export type NewTakeover = {
  sessionId: string;
  taskId: string | null;
  holderId: string;
  /** Their name, where they give no other. */
  requestedBy?: string;
  reason: string | null;
  leaseSecs: number;
  tokenHash: Buffer;
};
/** How the wheel came back. */
export type Outcome = 'resumed' | 'expired' | 'over';
type Given = { to: 'resuming' | 'ended'; outcome: Outcome; note: string | null };

/** Who has the wheel of a session as seen by somebody who may act there, and where its browser is. */
export type Driver = {
  isClosed: boolean;
  takeoverId: string | null;
  taskId: string | null;
  /** Of the wheel; nothing, where nobody has it or waits for it. */
  epoch: number | null;
  /** They have it, now, by the clock of the database. */
  isMine: boolean;
  /** It is time to say that they still drive. */
  isDue: boolean;
  /** Nothing, where no live host has the browser under that epoch. */
  hostId: string | null;
};
/** One that needs an agent: its browser is to be opened, or a host to be told. */
export type Unattended = { id: string; sessionId: string; taskId: string | null; status: 'requested' | 'active' };

const now = sql<Date>`date_trunc('milliseconds', clock_timestamp())`;
const lease = sql`make_interval(secs => lease_secs)`;
const maxAtOnce = 50;
/** A person who types renews their lease with each key; so often it is written down. */
const renewSecs = 5;

/** The wheel of each session. Every move is one conditional statement, and only the database's clock decides. */
export function createTakeovers({ db, pool }: Database) {
  return {
    /** Nothing, where one stands already. */
    async create(tx: Tx, asked: NewTakeover): Promise<TakeoverRow | undefined> {
      const { rows } = await tx.client.query<TakeoverRow>({
        name: 'takeovers.create',
        text: `insert into takeovers (id, session_id, task_id, holder_id, requested_by, reason, lease_secs, token_hash, expires_at)
               select $1, $2, $3, u.id, coalesce($5, u.username), $6, $7::int, $8,
                 date_trunc('milliseconds', clock_timestamp()) + make_interval(secs => $7::int)
               from users u where u.id = $4
               on conflict (session_id) where status <> 'ended' do nothing
               returning *`,
        values: [
          newId(),
          asked.sessionId,
          asked.taskId,
          asked.holderId,
          asked.requestedBy ?? null,
          asked.reason,
          asked.leaseSecs,
          asked.tokenHash,
        ],
      });
      return rows[0];
    },

    /** The one that stands: asked for, held, or on its way back. */
    standing: (tx: Tx, sessionId: string) =>
      tx.db
        .selectFrom('takeovers')
        .selectAll()
        .where('session_id', '=', sessionId)
        .where('status', '<>', 'ended')
        .executeTakeFirst(),

    standingOf: (sessionId: string) =>
      db
        .selectFrom('takeovers')
        .selectAll()
        .where('session_id', '=', sessionId)
        .where('status', '<>', 'ended')
        .executeTakeFirst(),

    /** Whoever drove was stopped for it, under this epoch. */
    setEpoch: (tx: Tx, id: string, epoch: number) =>
      tx.db
        .updateTable('takeovers')
        .set({ epoch })
        .where('id', '=', id)
        .where('status', 'in', ['requested', 'active'])
        .returningAll()
        .executeTakeFirst(),

    /** They have it now, if the browser is at a host under this epoch and no task is at work in it. Its lease begins. */
    activate: (tx: Tx, id: string, epoch: number) =>
      tx.db
        .updateTable('takeovers')
        .from('browsers')
        .set({
          status: 'active',
          epoch,
          activated_at: now,
          renewed_at: now,
          expires_at: sql`${now} + ${lease}`,
          route: sql`(select f.route from frames f where f.session_id = takeovers.session_id)`,
        })
        .where('takeovers.id', '=', id)
        .where('takeovers.status', '=', 'requested')
        .whereRef('browsers.session_id', '=', 'takeovers.session_id')
        .where('browsers.host_id', 'is not', null)
        .where('browsers.epoch', '=', epoch)
        .where(sql<boolean>`not exists (select from tasks k where k.id = takeovers.task_id and k.status <> 'takeover')`)
        .returningAll('takeovers')
        .executeTakeFirst(),

    /** Its browser was opened anew: they go on under this epoch. */
    follow: (tx: Tx, id: string, epoch: number) =>
      tx.db
        .updateTable('takeovers')
        .from('browsers')
        .set({ epoch })
        .where('takeovers.id', '=', id)
        .where('takeovers.status', '=', 'active')
        .where('takeovers.epoch', '<>', epoch)
        .whereRef('browsers.session_id', '=', 'takeovers.session_id')
        .where('browsers.epoch', '=', epoch)
        .returningAll('takeovers')
        .executeTakeFirst(),

    /** A task begins while somebody drives: the wheel is that of the task from now on. */
    adopt: (tx: Tx, id: string, taskId: string) =>
      tx.db
        .updateTable('takeovers')
        .set({ task_id: taskId })
        .where('id', '=', id)
        .where((at) => at.or([at('task_id', 'is', null), at('task_id', '=', taskId)]))
        .where('status', 'in', ['requested', 'active'])
        .returningAll()
        .executeTakeFirst(),

    /** On its way back, or back. */
    give: (tx: Tx, { id, status }: TakeoverRow, { to, outcome, note }: Given) =>
      tx.db
        .updateTable('takeovers')
        .set({ status: to, outcome, note, ...(to === 'ended' && { ended_at: now }) })
        .where('id', '=', id)
        .where('status', '=', status)
        .where('status', 'in', ['requested', 'active'])
        .returningAll()
        .executeTakeFirst(),

    /** The agent has looked, and goes on. */
    end: (tx: Tx, id: string, urlAfter: string | null) =>
      tx.db
        .updateTable('takeovers')
        .set({ status: 'ended', ended_at: now, url_after: urlAfter })
        .where('id', '=', id)
        .where('status', '=', 'resuming')
        .returningAll()
        .executeTakeFirst(),

    /** What they wanted to drive is over; answers with the one that stood. */
    async endAll(tx: Tx, which: { taskId: string } | { sessionId: string }): Promise<TakeoverRow | undefined> {
      return tx.db
        .updateTable('takeovers')
        .set({ status: 'ended', ended_at: now, outcome: sql`coalesce(outcome, 'over')` })
        .where((at) => ('taskId' in which ? at('task_id', '=', which.taskId) : at('session_id', '=', which.sessionId)))
        .where('status', '<>', 'ended')
        .returningAll()
        .executeTakeFirst();
    },

    /** For each input of a person: one look, found along keys. Nothing, where they may not act in the session. */
    async driver(caller: Caller, sessionId: string): Promise<Driver | undefined> {
      const { rows } = await pool.query<Driver>({
        name: 'takeovers.driver',
        text: `select s.status = 'closed' as "isClosed", t.id as "takeoverId", t.task_id as "taskId", t.epoch,
                 coalesce(t.status = 'active' and t.holder_id = $2 and t.expires_at > clock_timestamp(), false) as "isMine",
                 coalesce(t.renewed_at < clock_timestamp() - interval '${renewSecs} s', false) as "isDue",
                 h.id as "hostId"
               from sessions s
               left join takeovers t on t.session_id = s.id and t.status <> 'ended'
               left join browsers b on b.session_id = s.id and b.epoch = t.epoch
               left join hosts h on h.id = b.host_id and h.boot_id = b.boot_id and h.lease_until > now()
               where s.id = $1 and ($3 or s.owner_id = $2)`,
        values: [sessionId, caller.id, isBuiltIn(caller) && caller.role === 'admin'],
      });
      return rows[0];
    },

    /** They do something: their lease begins anew. False where it is over. */
    async renew(id: string): Promise<boolean> {
      const { rowCount } = await pool.query({
        name: 'takeovers.renew',
        text: `update takeovers set renewed_at = clock_timestamp(),
                 expires_at = date_trunc('milliseconds', clock_timestamp()) + make_interval(secs => lease_secs)
               where id = $1 and status = 'active' and expires_at > clock_timestamp()`,
        values: [id],
      });
      return rowCount === 1;
    },

    /** Those whose time is over. */
    async expired(): Promise<{ id: string; sessionId: string }[]> {
      const { rows } = await pool.query<{ id: string; sessionId: string }>({
        name: 'takeovers.expired',
        text: `select id, session_id as "sessionId" from takeovers
               where status in ('requested', 'active') and expires_at < clock_timestamp()
               order by expires_at limit ${maxAtOnce}`,
      });
      return rows;
    },

    /** Whether its time is over, asked by whoever is about to end it. Lock its session before. */
    async isExpired(tx: Tx, id: string): Promise<boolean> {
      const { rows } = await tx.client.query({
        name: 'takeovers.isExpired',
        text: `select from takeovers
               where id = $1 and status in ('requested', 'active') and expires_at < clock_timestamp()`,
        values: [id],
      });
      return rows.length > 0;
    },

    /** Those that no agent at work on a task will see to, and whose browser is not ready for them. */
    async unattended(): Promise<Unattended[]> {
      const { rows } = await pool.query<Unattended>({
        name: 'takeovers.unattended',
        text: `select t.id, t.session_id as "sessionId", t.task_id as "taskId", t.status
               from takeovers t
               left join tasks k on k.id = t.task_id
               left join browsers b on b.session_id = t.session_id
               left join hosts h on h.id = b.host_id and h.boot_id = b.boot_id and h.lease_until > now()
               where t.expires_at > clock_timestamp()
                 and ((t.status = 'requested' and (t.task_id is null or k.status in ('takeover', 'awaiting_user')))
                   or (t.status = 'active' and (h.id is null or b.epoch <> t.epoch)))
               order by t.requested_at limit ${maxAtOnce}`,
      });
      return rows;
    },
  };
}
export type TakeoversStore = ReturnType<typeof createTakeovers>;

/** In the words of the interface. */
export function takeoverOf(row: TakeoverRow): Takeover {
  return {
    takeover_id: row.id,
    status: row.status,
    requested_at: row.requested_at.toISOString(),
    activated_at: row.activated_at?.toISOString() ?? null,
    ended_at: row.ended_at?.toISOString() ?? null,
    expires_at: row.expires_at.toISOString(),
    requested_by: row.requested_by,
    held_by: row.status === 'active' || row.status === 'resuming' ? row.holder_id : null,
    epoch: row.epoch,
    reason: row.reason,
    // Written by us from what the contract calls a route.
    route: (row.route as BrowserRoute | null) ?? nowhere(row.session_id),
  };
}

const nowhere = (session: string): BrowserRoute => ({ session, page: null, frame: null, url: null, title: null });
