// Programs that drive sessions over the DevTools protocol: their tickets, their connections, and under which epoch they drive.
// Only the database's clock decides what has expired.

import type { Database, Tx } from '../db/db.ts';
import type { DriverChange } from '../fleet/placement.ts';
import { openStates } from '../tasks/tasks.ts';

/** A connection whose server was silent for longer is gone. */
const silentSecs = 10;
const ticketSecs = 60;
const maxAtOnce = 50;

export type TicketHolder = {
  userId: string;
  loginId: string | null;
  keyId: string | null;
  /** A person wrote what the program does. */
  byPerson: boolean;
};
/** What the acts of a connected program are held to, besides the rules of the installation. */
export type ProgramStanding = { id: string; policy: unknown; isAdmin: boolean; isWatched: boolean };
export type ProgramState = {
  /** A live host that holds the browser. */
  hostId: string | null;
  epoch: number;
  /** The programs drive now. */
  isDriving: boolean;
  /** A person drives, or wants to, or a task is open. */
  isTaken: boolean;
};

const isLiveConnection = `c.seen_at > clock_timestamp() - interval '${silentSecs} s'`;
const isTaken = `(exists (select from takeovers t where t.session_id = b.session_id and t.status <> 'ended')
  or exists (select from tasks k where k.session_id = b.session_id and k.status = any($2) and k.program_id is null))`;
const liveHost = `(select h.id from hosts h where h.id = b.host_id and h.boot_id = b.boot_id and h.lease_until > now())`;

export function createPrograms({ pool }: Database) {
  return {
    ...createTickets({ pool }),
    ...createConnections({ pool }),

    /** Undefined if the session has never had a browser. */
    async stateOf(sessionId: string): Promise<ProgramState | undefined> {
      const { rows } = await pool.query<ProgramState>({
        name: 'programs.stateOf',
        text: `select ${liveHost} as "hostId", b.epoch, coalesce(b.program_epoch = b.epoch, false) as "isDriving",
                 ${isTaken} as "isTaken"
               from browsers b where b.session_id = $1`,
        values: [sessionId, openStates],
      });
      return rows[0];
    },

    /**
     * The programs of the session drive from now on, under an epoch of their own: tell the host. Undefined while a person drives
     * or wants to, a task of an agent is open, no host holds the browser, or the program that asks was disconnected. Call in the
     * transaction that has locked the session.
     */
    async drive({ client }: Tx, sessionId: string, programId?: string): Promise<DriverChange | undefined> {
      const { rows } = await client.query<DriverChange>({
        name: 'programs.drive',
        text: `update browsers b set
                 epoch = b.epoch + (b.program_epoch is distinct from b.epoch)::int,
                 program_epoch = b.epoch + (b.program_epoch is distinct from b.epoch)::int
               where b.session_id = $1 and b.host_id is not null and not ${isTaken}
                 and ($3::uuid is null or exists (select from program_connections c where c.id = $3))
               returning b.session_id, b.host_id, b.epoch`,
        values: [sessionId, openStates, programId ?? null],
      });
      return rows[0];
    },

    /** Fences the programs of the session where they drive, until one of them drives again. */
    async stop({ client }: Tx, sessionId: string): Promise<DriverChange | undefined> {
      const { rows } = await client.query<DriverChange>({
        name: 'programs.stop',
        text: `update browsers b set epoch = b.epoch + 1
               where b.session_id = $1 and b.host_id is not null and b.program_epoch = b.epoch
               returning b.session_id, b.host_id, b.epoch`,
        values: [sessionId],
      });
      return rows[0];
    },

    /** Sessions with a program and without a browser at a live host, which nobody else opens. */
    async unattended(except: readonly string[] = []): Promise<string[]> {
      const { rows } = await pool.query<{ id: string }>({
        name: 'programs.unattended',
        text: `select distinct c.session_id as id from program_connections c
               join sessions s on s.id = c.session_id and s.status <> 'closed'
               left join browsers b on b.session_id = c.session_id
               where ${isLiveConnection} and c.session_id <> all($1)
                 and (b.session_id is null or (${liveHost} is null and not ${isTaken}))
               limit ${maxAtOnce}`,
        values: [except, openStates],
      });
      return rows.map(({ id }) => id);
    },
  };
}

const createTickets = ({ pool }: Pick<Database, 'pool'>) => ({
  /** Returns when it expires. Old ones of the session go. */
  async addTicket(sessionId: string, hash: Buffer, holder: TicketHolder): Promise<Date> {
    const { userId, loginId, keyId, byPerson } = holder;
    await pool.query({
      name: 'programs.dropTickets',
      text: 'delete from program_tickets where session_id = $1 and expires_at < clock_timestamp()',
      values: [sessionId],
    });
    const { rows } = await pool.query<{ expires_at: Date }>({
      name: 'programs.addTicket',
      text: `insert into program_tickets (ticket_hash, session_id, user_id, login_id, key_id, by_person, expires_at)
             values ($1, $2, $3, $4, $5, $6, date_trunc('milliseconds', clock_timestamp()) + interval '${ticketSecs} s')
             returning expires_at`,
      values: [hash, sessionId, userId, loginId, keyId, byPerson],
    });
    if (!rows[0]) throw new Error('an insert without a row');
    return rows[0].expires_at;
  },

  /** Uses it up: it is of no use a second time. Undefined where it is unknown, used, expired, or of another session. */
  async takeTicket(sessionId: string, hash: Buffer): Promise<TicketHolder | undefined> {
    const { rows } = await pool.query<TicketHolder>({
      name: 'programs.takeTicket',
      text: `delete from program_tickets
             where ticket_hash = $1 and session_id = $2 and expires_at > clock_timestamp()
             returning user_id as "userId", login_id as "loginId", key_id as "keyId", by_person as "byPerson"`,
      values: [hash, sessionId],
    });
    return rows[0];
  },
});

const createConnections = ({ pool }: Pick<Database, 'pool'>) => ({
  async connected(id: string, sessionId: string, userId: string): Promise<void> {
    await pool.query({
      name: 'programs.connected',
      text: 'insert into program_connections (id, session_id, user_id) values ($1, $2, $3)',
      values: [id, sessionId, userId],
    });
  },

  /** Those of this server are there. Those of servers that are gone go with it. Returns which of them still count. */
  async seen(ids: readonly string[]): Promise<Set<string>> {
    const { rows } = await pool.query<{ id: string }>({
      name: 'programs.seen',
      text: 'update program_connections set seen_at = clock_timestamp() where id = any($1) returning id',
      values: [ids],
    });
    await pool.query({
      name: 'programs.gone',
      text: `delete from program_connections c where not (${isLiveConnection})`,
    });
    return new Set(rows.map(({ id }) => id));
  },

  async standing(ids: readonly string[]): Promise<ProgramStanding[]> {
    const { rows } = await pool.query<ProgramStanding>({
      name: 'programs.standing',
      text: `select c.id, u.policy, u.role = 'admin' as "isAdmin",
               exists (select from viewers v where v.session_id = c.session_id and v.count > 0
                       and v.until > clock_timestamp()) as "isWatched"
             from program_connections c join users u on u.id = c.user_id where c.id = any($1)`,
      values: [ids],
    });
    return rows;
  },

  async disconnected(id: string): Promise<void> {
    await pool.query({
      name: 'programs.disconnected',
      text: 'delete from program_connections where id = $1',
      values: [id],
    });
  },
});
