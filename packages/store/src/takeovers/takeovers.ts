// The rows of takeovers. Every change is one conditional statement; only the database's clock decides what has expired.

import type { BrowserRoute, Takeover } from '@pilothouse/contract';
import { type Selectable, sql } from 'kysely';
import { now } from '../db/clock.ts';
import type { Tx } from '../db/db.ts';
import type { Takeovers } from '../db/generated.ts';
import { newId } from '../db/ids.ts';

export type TakeoverRow = Selectable<Takeovers>;
export type NewTakeover = {
  sessionId: string;
  taskId: string | null;
  holderId: string;
  /** A display name; without it, the holder's user name. */
  requestedBy?: string;
  reason: string | null;
  leaseSecs: number;
  tokenHash: Buffer;
  /** The window that counts input, if the person names one. */
  clientId?: string;
};
/** A takeover that the same person has requested already, and wants now. */
export type Hastening = Pick<NewTakeover, 'sessionId' | 'holderId' | 'reason' | 'clientId'> & { taskId: string };
/** The takeover of a person; with an id, only this one. */
export type OwnTakeover = { sessionId: string; holderId: string; id?: string };
/** Why the takeover ended: handed back, expired, or its task or session has ended. */
export type Outcome = 'resumed' | 'expired' | 'over';
type HandBack = { to: 'resuming' | 'ended'; outcome: Outcome; note: string | null };

/** So long after the last input a person can keep a takeover by saying that they are there. */
const maxUnusedSecs = 4 * 3600;

const lease = sql`make_interval(secs => lease_secs)`;

export type TakeoverRows = typeof takeoverRows;

/** For the transitions, which also move task, session and browser, and write the events. */
export const takeoverRows = {
  /** Undefined if the session has a takeover already. */
  async create(tx: Tx, takeover: NewTakeover): Promise<TakeoverRow | undefined> {
    const { rows } = await tx.client.query<TakeoverRow>({
      name: 'takeovers.create',
      text: `insert into takeovers (id, session_id, task_id, holder_id, requested_by, reason, lease_secs, token_hash, expires_at,
                 client_id, client_no, holder_name)
               select $1, $2, $3, u.id, coalesce($5, u.username), $6, $7::int, $8,
                 date_trunc('milliseconds', clock_timestamp()) + make_interval(secs => $7::int),
                 $9::text, case when $9::text is null then 0 else 1 end, u.username
               from users u where u.id = $4
               on conflict (session_id) where status <> 'ended' do nothing
               returning *`,
      values: [
        newId(),
        takeover.sessionId,
        takeover.taskId,
        takeover.holderId,
        takeover.requestedBy ?? null,
        takeover.reason,
        takeover.leaseSecs,
        takeover.tokenHash,
        takeover.clientId ?? null,
      ],
    });
    return rows[0];
  },

  /** The person who has requested it wants it now. Undefined if it is not requested, or by another person. */
  async hasten(tx: Tx, { sessionId, taskId, holderId, reason, clientId }: Hastening): Promise<TakeoverRow | undefined> {
    const { rows } = await tx.client.query<TakeoverRow>({
      name: 'takeovers.hasten',
      text: `update takeovers set task_id = $2, reason = coalesce($4, reason),
               client_id = coalesce($5, client_id),
               client_no = client_no + ($5::text is not null and client_id is distinct from $5)::int,
               expires_at = date_trunc('milliseconds', clock_timestamp()) + make_interval(secs => lease_secs)
             where session_id = $1 and holder_id = $3 and status = 'requested' and (task_id is null or task_id = $2)
               and expires_at > clock_timestamp()
             returning *`,
      values: [sessionId, taskId, holderId, reason, clientId ?? null],
    });
    return rows[0];
  },

  /** Another window counts input from now on. Undefined if it is this one already, or the person does not hold it. */
  async setClient(
    tx: Tx,
    { sessionId, holderId, id }: OwnTakeover,
    clientId: string,
  ): Promise<TakeoverRow | undefined> {
    const { rows } = await tx.client.query<TakeoverRow>({
      name: 'takeovers.setClient',
      text: `update takeovers set client_id = $4, client_no = client_no + 1
             where session_id = $1 and holder_id = $2 and ($3::uuid is null or id = $3)
               and status in ('requested', 'active') and expires_at > clock_timestamp() and client_id is distinct from $4
             returning *`,
      values: [sessionId, holderId, id ?? null, clientId],
    });
    return rows[0];
  },

  /** The takeover of this person, if this window counts its input. Lock its session before. */
  async ownWith(tx: Tx, { sessionId, holderId, id }: OwnTakeover, clientId: string): Promise<TakeoverRow | undefined> {
    const { rows } = await tx.client.query<TakeoverRow>({
      name: 'takeovers.ownWith',
      text: `select * from takeovers
             where session_id = $1 and holder_id = $2 and ($3::uuid is null or id = $3) and client_id = $4
               and status in ('requested', 'active') and expires_at > clock_timestamp()`,
      values: [sessionId, holderId, id ?? null, clientId],
    });
    return rows[0];
  },

  /**
   * The person says that they are there: the lease begins again, as far as it may without input. Undefined if the person
   * does not drive.
   */
  async confirm(tx: Tx, { sessionId, holderId, id }: OwnTakeover): Promise<TakeoverRow | undefined> {
    const { rows } = await tx.client.query<TakeoverRow>({
      name: 'takeovers.confirm',
      text: `update takeovers set expires_at = greatest(expires_at, least(
               date_trunc('milliseconds', clock_timestamp()) + make_interval(secs => lease_secs),
               coalesce(input_at, activated_at) + interval '${maxUnusedSecs} s'))
             where session_id = $1 and holder_id = $2 and ($3::uuid is null or id = $3)
               and status = 'active' and expires_at > clock_timestamp()
             returning *`,
      values: [sessionId, holderId, id ?? null],
    });
    return rows[0];
  },

  /** The former driver was stopped for it, under this epoch. */
  setEpoch: (tx: Tx, id: string, epoch: number) =>
    tx.db
      .updateTable('takeovers')
      .set({ epoch })
      .where('id', '=', id)
      .where('status', 'in', ['requested', 'active'])
      .returningAll()
      .executeTakeFirst(),

  /** The person drives from now on, if a host holds the browser under this epoch and no task runs. The lease begins. */
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

  /** The browser was opened again: the person goes on under this epoch. */
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

  /** A task begins while a person drives: from now on it is a takeover of that task. */
  adopt: (tx: Tx, id: string, taskId: string) =>
    tx.db
      .updateTable('takeovers')
      .set({ task_id: taskId })
      .where('id', '=', id)
      .where((at) => at.or([at('task_id', 'is', null), at('task_id', '=', taskId)]))
      .where('status', 'in', ['requested', 'active'])
      .returningAll()
      .executeTakeFirst(),

  /** The person hands back: the takeover ends, or is `resuming` until an agent has looked at the page. */
  handBack: (tx: Tx, { id, status }: TakeoverRow, { to, outcome, note }: HandBack) =>
    tx.db
      .updateTable('takeovers')
      .set({ status: to, outcome, note, returned_at: now, ...(to === 'ended' && { ended_at: now }) })
      .where('id', '=', id)
      .where('status', '=', status)
      .where('status', 'in', ['requested', 'active'])
      .returningAll()
      .executeTakeFirst(),

  /** The agent has looked at the page, and goes on. */
  end: (tx: Tx, id: string, urlAfter: string | null) =>
    tx.db
      .updateTable('takeovers')
      .set({ status: 'ended', ended_at: now, url_after: urlAfter })
      .where('id', '=', id)
      .where('status', '=', 'resuming')
      .returningAll()
      .executeTakeFirst(),

  /** Its task or session has ended; returns the takeover that was open. */
  async endAll(tx: Tx, which: { taskId: string } | { sessionId: string }): Promise<TakeoverRow | undefined> {
    return tx.db
      .updateTable('takeovers')
      .set({
        status: 'ended',
        ended_at: now,
        returned_at: sql`coalesce(returned_at, ${now})`,
        outcome: sql`coalesce(outcome, 'over')`,
      })
      .where((at) => ('taskId' in which ? at('task_id', '=', which.taskId) : at('session_id', '=', which.sessionId)))
      .where('status', '<>', 'ended')
      .returningAll()
      .executeTakeFirst();
  },
};

/** As the API shows it. */
export function takeoverOf(row: TakeoverRow): Takeover {
  const isHeld = row.status === 'active' || row.status === 'resuming';
  return {
    takeover_id: row.id,
    status: row.status,
    requested_at: row.requested_at.toISOString(),
    activated_at: row.activated_at?.toISOString() ?? null,
    ended_at: row.ended_at?.toISOString() ?? null,
    expires_at: row.expires_at.toISOString(),
    requested_by: row.requested_by,
    held_by: isHeld ? row.holder_id : null,
    held_by_name: isHeld ? row.holder_name : null,
    client_id: row.client_id,
    client_no: row.client_no,
    epoch: row.epoch,
    reason: row.reason,
    // Written by us from what the contract calls a route.
    route: (row.route as BrowserRoute | null) ?? nowhere(row.session_id),
  };
}

const nowhere = (session: string): BrowserRoute => ({ session, page: null, frame: null, url: null, title: null });
