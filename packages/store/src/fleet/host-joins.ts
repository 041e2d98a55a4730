// Browser hosts that came by themselves: which may come in, how many, and whose connections are to end. The database decides, so
// that agents that are asked at once cannot let in more than there are places.

import { countRows } from '../db/count-rows.ts';
import type { Database, Tx } from '../db/db.ts';
import { mayLive } from './host-life.ts';

type Newcomer = {
  hostId: string;
  publicKey: string;
  address: string;
  /** It holds a key by which new hosts may come. */
  isInvited: boolean;
  server: string;
  number: number;
};
/** How many there may be: in all, and from one address. */
export type JoinBounds = { most: number; perAddress: number };
export type JoinRefusal = 'ended' | 'uninvited' | 'full' | 'address_taken' | 'too_many';
export type JoinConnection = { server: string; number: number };

/** One host has two connections. Of more, the oldest end: a host that comes back often leaves numbers that are long gone. */
const connectionsPerHost = 8;
/** Those that are to end count until they have: no host makes them faster than they are ended. */
const mostConnections = 16;
/** So long after its last connection a host may still be without a lease. */
const graceSecs = 15;
/** What was replaced cannot come back without an invitation, whether its row is there or not. */
const keepReplacedSecs = 3600;
const keepAwaySecs = 86_400;
/** NATS does not wait longer for an answer. */
const lockWait = '1s';
/** The key of the lock under which new ones are counted, among the advisory locks of this database. */
const countLock = 7_464_104;

/** `j` has no lease, and had the time to get one: its place may be given to another. */
const isAway = `(
  not exists (select from hosts h where h.id = j.host_id and ${mayLive('h')})
  and not exists (
    select from host_join_connections c
    where c.host_id = j.host_id and c.opened_at > clock_timestamp() - make_interval(secs => ${graceSecs})))`;

/** Anywhere, or only at the address. */
const oneAway = `
  select j.host_id from host_joins j
  where j.ended_at is null and ($1::text is null or j.address = $1) and ${isAway}
  order by j.joined_at limit 1`;
const endOneAway = `
  update host_joins set ended_at = clock_timestamp(), ended_by = 'replaced' where host_id = (${oneAway})`;

const mayEnd = `(c.host_id in (select host_id from host_joins where ended_at is not null)
  or exists (select from host_join_connections newer where newer.host_id = c.host_id
    and (newer.opened_at, newer.number) > (c.opened_at, c.number) offset ${connectionsPerHost - 1}))`;

/** Who is in may come back. Locked, so that a host that is ended meanwhile has no connection that nobody ends. */
async function known(tx: Tx, hostId: string): Promise<'in' | 'ended' | undefined> {
  const { rows } = await tx.client.query<{ has_ended: boolean }>(
    'select ended_at is not null as has_ended from host_joins where host_id = $1 for share',
    [hostId],
  );
  return rows[0] && (rows[0].has_ended ? 'ended' : 'in');
}

const count = async (tx: Tx, address: string) => {
  const { rows } = await tx.client.query<{ all: number; here: number }>(
    `select count(*)::int as "all", count(*) filter (where address = $1)::int as here
     from host_joins where ended_at is null`,
    [address],
  );
  return rows[0] ?? { all: 0, here: 0 };
};

/** A place for a new host: a free one, or that of one that is away. */
async function findPlace(tx: Tx, address: string, { most, perAddress }: JoinBounds): Promise<JoinRefusal | undefined> {
  const makeRoom = async (at: string | null) =>
    (await countRows(tx.client, { name: 'joins.end_one_away', text: endOneAway, values: [at] })) > 0;
  if ((await count(tx, address)).here >= perAddress && !(await makeRoom(address))) return 'address_taken';
  if ((await count(tx, address)).all >= most && !(await makeRoom(null))) return 'full';
  return undefined;
}

/** Without the lock: who finds no place must not hold up those who might. */
async function whyNot(tx: Tx, address: string, { most, perAddress }: JoinBounds): Promise<JoinRefusal | undefined> {
  const isAnyAway = async (at: string | null) => (await tx.client.query(oneAway, [at])).rows.length > 0;
  const taken = await count(tx, address);
  if (taken.here >= perAddress && !(await isAnyAway(address))) return 'address_taken';
  if (taken.all >= most && !(await isAnyAway(null))) return 'full';
  return undefined;
}

async function enter(tx: Tx, newcomer: Newcomer, bounds: JoinBounds): Promise<JoinRefusal | undefined> {
  const { hostId, publicKey, address } = newcomer;
  const reason = await whyNot(tx, address, bounds);
  // Its other connection may have come first.
  if (reason) return (await known(tx, hostId)) === 'in' ? undefined : reason;
  await tx.client.query(`set local lock_timeout = '${lockWait}'`);
  await tx.client.query('select pg_advisory_xact_lock($1)', [countLock]);
  // Its other connection may have come first.
  const state = await known(tx, hostId);
  if (state) return state === 'in' ? undefined : state;
  const refusal = await findPlace(tx, address, bounds);
  if (refusal) return refusal;
  const values = { host_id: hostId, public_key: publicKey, address };
  await tx.db.insertInto('host_joins').values(values).execute();
  return undefined;
}

async function countConnections({ client }: Tx, hostId: string): Promise<number> {
  const text = 'select count(*)::int as all from host_join_connections where host_id = $1';
  return (await client.query<{ all: number }>(text, [hostId])).rows[0]?.all ?? 0;
}

/** Undefined: it is in, and its connection is written down. */
async function admit(tx: Tx, newcomer: Newcomer, bounds: JoinBounds): Promise<JoinRefusal | undefined> {
  const { hostId, isInvited, server, number } = newcomer;
  const state = await known(tx, hostId);
  if (state === 'ended') return 'ended';
  if (state === undefined) {
    if (!isInvited) return 'uninvited';
    const refusal = await enter(tx, newcomer, bounds);
    if (refusal) return refusal;
  } else if ((await countConnections(tx, hostId)) >= mostConnections) return 'too_many';
  await tx.client.query(
    `insert into host_join_connections (server, number, host_id) values ($1, $2, $3)
     on conflict (server, number) do update set host_id = excluded.host_id, opened_at = now()`,
    [server, number, hostId],
  );
  return undefined;
}

export function createHostJoins({ pool }: Database) {
  return {
    admit,

    /** Of those that are in, and may come back. */
    async ids(): Promise<string[]> {
      const text = 'select host_id from host_joins where ended_at is null';
      return (await pool.query<{ host_id: string }>({ name: 'joins.ids', text })).rows.map(({ host_id }) => host_id);
    },

    /** It is not let in again under this id, and what it had goes elsewhere. False if there is no such host. */
    async end(tx: Tx, hostId: string): Promise<boolean> {
      const text = `update host_joins set ended_at = clock_timestamp(), ended_by = 'operator'
                    where host_id = $1 and ended_by is distinct from 'operator'`;
      if ((await countRows(tx.client, { text, values: [hostId] })) === 0) return false;
      await tx.client.query('update hosts set lease_until = least(lease_until, now()) where id = $1', [hostId]);
      return true;
    },

    /** Connections that the bus has to end: of hosts that were ended, and those beyond what one host needs. */
    async toEnd(): Promise<JoinConnection[]> {
      const { rows } = await pool.query<JoinConnection>({
        name: 'joins.to_end',
        text: `select c.server, c.number from host_join_connections c where ${mayEnd} order by c.opened_at limit 100`,
      });
      return rows;
    },

    /** The bus has ended it, or knew of none. */
    async hasEnded({ server, number }: JoinConnection): Promise<void> {
      await pool.query('delete from host_join_connections where server = $1 and number = $2', [server, number]);
    },

    /** Removes hosts that are of no more interest; returns how many. One that the operator removed is remembered. */
    sweep: (limit: number): Promise<number> =>
      countRows(pool, {
        name: 'joins.sweep',
        text: `delete from host_joins where host_id in (
                 select j.host_id from host_joins j
                 where (j.ended_by = 'replaced' and j.ended_at < now() - make_interval(secs => ${keepReplacedSecs})
                     and not exists (select from host_join_connections c where c.host_id = j.host_id))
                   or (j.ended_at is null and not exists (select from hosts h where h.id = j.host_id)
                     and not exists (select from host_join_connections c where c.host_id = j.host_id
                       and c.opened_at > now() - make_interval(secs => ${keepAwaySecs})))
                 limit $1 for update of j skip locked)`,
        values: [limit],
      }),
  };
}
