// Reads takeovers, and renews their leases. By the database's clock.

import { type Caller, isBuiltIn } from '../accounts/users.ts';
import type { Database, Db, Tx } from '../db/db.ts';
import { mayHostLive } from '../fleet/host-life.ts';

/** Who drives a session, for a caller who may act in it, and where its browser is. */
export type Driver = {
  isClosed: boolean;
  takeoverId: string | null;
  taskId: string | null;
  /** Of the takeover; null if there is none. */
  epoch: number | null;
  /** The caller drives now, by the database's clock. */
  isMine: boolean;
  /** The lease should be renewed. */
  isDue: boolean;
  /** The window that counts input, and how often that has changed. */
  clientId: string | null;
  clientNo: number | null;
  /** Null if no live host holds the browser under that epoch. */
  hostId: string | null;
};
/** A person drove the browser of a task, for so many seconds. */
export type PastTakeover = { activated_at: Date; holder_name: string | null; url_after: string | null; secs: number };
/** A takeover that needs an agent: its browser has to be opened, or a host has to be told. */
export type UnattendedTakeover = {
  id: string;
  sessionId: string;
  taskId: string | null;
  status: 'requested' | 'active';
};

const maxAtOnce = 50;
/** Each key that a person types renews the lease; it is written to the database at most once in this time. */
const renewSecs = 5;

export function createTakeoverQueries({ db, pool }: Database) {
  return {
    /** The session's open takeover: requested, active or resuming. */
    standing: (tx: Tx, sessionId: string) => openTakeover(tx.db, sessionId),

    /** The same, outside of a transaction. */
    standingOf: (sessionId: string) => openTakeover(db, sessionId),

    /** Whether a person drove the browser of the session after this time. */
    wasDriven: (sessionId: string, since: Date) => wasDriven(pool, sessionId, since),

    /** For each input of a person: one query, along keys. Undefined if the caller may not act in the session. */
    async driver(caller: Caller, sessionId: string): Promise<Driver | undefined> {
      const { rows } = await pool.query<Driver>({
        name: 'takeovers.driver',
        text: `select s.status = 'closed' as "isClosed", t.id as "takeoverId", t.task_id as "taskId", t.epoch,
                 coalesce(t.status = 'active' and t.holder_id = $2 and t.expires_at > clock_timestamp(), false) as "isMine",
                 coalesce(t.renewed_at < clock_timestamp() - interval '${renewSecs} s', false) as "isDue",
                 t.client_id as "clientId", t.client_no as "clientNo", h.id as "hostId"
               from sessions s
               left join takeovers t on t.session_id = s.id and t.status <> 'ended'
               left join browsers b on b.session_id = s.id and b.epoch = t.epoch
               left join hosts h on h.id = b.host_id and h.boot_id = b.boot_id and h.lease_until > now()
               where s.id = $1 and ($3 or s.owner_id = $2)`,
        values: [sessionId, caller.id, isBuiltIn(caller) && caller.role === 'admin'],
      });
      return rows[0];
    },

    /** The person does something: the lease begins again. False if it has expired. */
    async renew(id: string): Promise<boolean> {
      const { rowCount } = await pool.query({
        name: 'takeovers.renew',
        text: `update takeovers set renewed_at = clock_timestamp(), input_at = clock_timestamp(),
                 expires_at = date_trunc('milliseconds', clock_timestamp()) + make_interval(secs => lease_secs)
               where id = $1 and status = 'active' and expires_at > clock_timestamp()`,
        values: [id],
      });
      return rowCount === 1;
    },

    /** The longest first, without those that the caller handles already. */
    async expired(except: readonly string[] = []): Promise<{ id: string; sessionId: string }[]> {
      const { rows } = await pool.query<{ id: string; sessionId: string }>({
        name: 'takeovers.expired',
        text: `select id, session_id as "sessionId" from takeovers
               where status in ('requested', 'active') and expires_at < now() and id <> all($1)
               order by expires_at limit ${maxAtOnce}`,
        values: [except],
      });
      return rows;
    },

    /** Whether it has expired, for a caller about to end it. Lock its session before. */
    async isExpired(tx: Tx, id: string): Promise<boolean> {
      const { rows } = await tx.client.query({
        name: 'takeovers.isExpired',
        text: `select from takeovers
               where id = $1 and status in ('requested', 'active') and expires_at < clock_timestamp()`,
        values: [id],
      });
      return rows.length > 0;
    },

    /** Those of a task in which a person drove, and that are over; oldest first. */
    pastOf: (taskId: string) => findPast(pool, taskId),

    /** The longest first, without those that the caller handles already: many that cannot be served hide no other. */
    unattended: (except: readonly string[] = []) => findUnattended(pool, except),
  };
}

const openTakeover = (db: Db, sessionId: string) =>
  db
    .selectFrom('takeovers')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('status', '<>', 'ended')
    .executeTakeFirst();

async function wasDriven(pool: Database['pool'], sessionId: string, since: Date): Promise<boolean> {
  const { rows } = await pool.query({
    name: 'takeovers.wasDriven',
    text: 'select from takeovers where session_id = $1 and activated_at > $2 limit 1',
    values: [sessionId, since],
  });
  return rows.length > 0;
}

async function findPast(pool: Database['pool'], taskId: string): Promise<PastTakeover[]> {
  const { rows } = await pool.query<PastTakeover>({
    name: 'takeovers.pastOf',
    text: `select activated_at, holder_name, url_after,
             round(extract(epoch from coalesce(returned_at, ended_at) - activated_at))::int as secs
           from takeovers where task_id = $1 and activated_at is not null and ended_at is not null
           order by activated_at, id`,
    values: [taskId],
  });
  return rows;
}

/** Takeovers that no agent at work on a task will handle, and whose browser is not ready for the person. */
async function findUnattended(pool: Database['pool'], except: readonly string[]): Promise<UnattendedTakeover[]> {
  const { rows } = await pool.query<UnattendedTakeover>({
    name: 'takeovers.unattended',
    text: `select id, session_id as "sessionId", task_id as "taskId", status from (
             select t.* from takeovers t left join tasks k on k.id = t.task_id
             where t.status = 'requested' and t.expires_at > now()
               and (t.task_id is null or k.status in ('takeover', 'awaiting_user'))
             union all
             select t.* from takeovers t left join browsers b on b.session_id = t.session_id
             where t.status = 'active' and t.expires_at > now() and not coalesce(b.epoch = t.epoch and ${mayHostLive}, false)
           ) as unattended
           where id <> all($1) order by requested_at limit ${maxAtOnce}`,
    values: [except],
  });
  return rows;
}
