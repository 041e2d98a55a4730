import { type Selectable, sql, type UpdateQueryBuilder, type UpdateResult } from 'kysely';
import type { Database, Tx } from './db.ts';
import type { Browsers, DB } from './generated.ts';
import type { createProfiles } from './profiles.ts';
import { columnsOf, type Sealer, sealedOf } from './seal.ts';

type Update = UpdateQueryBuilder<DB, 'browsers', 'browsers', UpdateResult>;
type Parts = { sealer: Sealer; profiles: ReturnType<typeof createProfiles> };

/** Where each session's browser is, and the epoch of whoever may act in it. */
export function createBrowsers({ db, pool }: Database, { sealer, profiles }: Parts) {
  /** Cookies let people in: where there is a key, they are sealed. */
  const kept = (sessionId: string, state: object) =>
    sealer.canSeal
      ? { state: null, ...columnsOf(sealer.seal(state, owned(sessionId))) }
      : { state: storable(state), sealed_state: null, key_id: null };
  const opened = (sessionId: string, row: SavedColumns): object | null => {
    const sealed = sealedOf(row);
    // Our own writing: an object or nothing.
    return sealed ? sealer.open(sealed, owned(sessionId)) : restored(row.state as object | null);
  };

  /** In the profile that the session holds, too. False where the conditions do not hold: then nothing is kept. */
  async function keep(tx: Tx, sessionId: string, state: object, only: (update: Update) => Update): Promise<boolean> {
    const update = tx.db.updateTable('browsers').set(kept(sessionId, state)).where('session_id', '=', sessionId);
    const { numUpdatedRows } = await only(update).executeTakeFirstOrThrow();
    if (numUpdatedRows > 0n && profiles.isOn) await profiles.writeBack(tx, sessionId, state);
    return numUpdatedRows > 0n;
  }

  /** Each browser, and whether its host still has its lease and is the same process that opened it. */
  const places = db
    .selectFrom('browsers')
    .leftJoin('hosts', (join) =>
      join.onRef('hosts.id', '=', 'browsers.host_id').onRef('hosts.boot_id', '=', 'browsers.boot_id'),
    )
    .select(['browsers.session_id', 'browsers.host_id', 'browsers.epoch', 'browsers.opened_epoch', 'browsers.reach'])
    .innerJoin('sessions', 'sessions.id', 'browsers.session_id')
    .select('sessions.browser')
    .select(sql<boolean>`coalesce(hosts.lease_until > now(), false)`.as('is_live'))
    .select(driver.as('driver'));

  return {
    of: (sessionId: string) => places.where('browsers.session_id', '=', sessionId).executeTakeFirst(),

    /** Of each of these sessions that has one. */
    async ofAll(sessionIds: readonly string[]) {
      const rows = await places.where('browsers.session_id', '=', sql<string>`any(${sessionIds})`).execute();
      return new Map(rows.map((row) => [row.session_id, row]));
    },

    /** Gives the session to a host under a new epoch, unless somebody else was quicker. */
    async assign(tx: Tx, sessionId: string, host: { id: string; bootId: string; reach?: object }, before: number) {
      const reach = host.reach === undefined ? null : JSON.stringify(host.reach);
      const epochs = { epoch: before + 1, opened_epoch: before + 1 };
      const row = await tx.db
        .insertInto('browsers')
        .values({ session_id: sessionId, host_id: host.id, boot_id: host.bootId, ...epochs, reach })
        .onConflict((conflict) =>
          conflict
            .column('session_id')
            .doUpdateSet({ host_id: host.id, boot_id: host.bootId, ...epochs, reach })
            .where('browsers.epoch', '=', before),
        )
        .returning(['epoch', 'host_id', ...savedColumns])
        .executeTakeFirst();
      if (!row) return undefined;
      await countSessions(tx, host.id, 1);
      return { epoch: row.epoch, host_id: row.host_id, state: opened(sessionId, row) };
    },

    /** Keeps what would bring the browser back, and in the profile the session holds; an older driver's is not taken. */
    saveState: (tx: Tx, sessionId: string, epoch: number, state: object): Promise<boolean> =>
      keep(tx, sessionId, state, (update) => update.where('epoch', '=', epoch)),

    /** What a session that no host has opened yet will begin with. */
    async seed(tx: Tx, sessionId: string, state: object): Promise<void> {
      await tx.db
        .insertInto('browsers')
        .values({ session_id: sessionId, ...kept(sessionId, state) })
        .execute();
    },

    /** What would bring the browser back; nothing, before the first save. */
    async stateOf(tx: Tx, sessionId: string): Promise<object | null> {
      const row = await tx.db
        .selectFrom('browsers')
        .select(savedColumns)
        .where('session_id', '=', sessionId)
        .executeTakeFirst();
      return row ? opened(sessionId, row) : null;
    },

    /** Where it is, and under which epoch. Read in the transaction that has locked its session. */
    async at(tx: Tx, sessionId: string): Promise<Fence | undefined> {
      const row = await tx.db
        .selectFrom('browsers')
        .select(['host_id', 'epoch'])
        .where('session_id', '=', sessionId)
        .executeTakeFirst();
      return row?.host_id ? { session_id: sessionId, host_id: row.host_id, epoch: row.epoch } : undefined;
    },

    /** Raises the epoch of a browser that a host holds: whoever drove it until now no longer does. Tell the host. */
    async fence(tx: Tx, sessionId: string): Promise<Fence | undefined> {
      const row = await tx.db
        .updateTable('browsers')
        .set({ epoch: sql`epoch + 1` })
        .where('session_id', '=', sessionId)
        .where('host_id', 'is not', null)
        .returning(['host_id', 'epoch'])
        .executeTakeFirst();
      return row?.host_id ? { session_id: sessionId, host_id: row.host_id, epoch: row.epoch } : undefined;
    },

    /** The host that holds the most room right now; none of those that somebody found silent. */
    roomiest: (silentBoots: readonly string[] = []) =>
      db
        .selectFrom('hosts')
        .select(['id', 'boot_id'])
        .where('lease_until', '>', sql<Date>`now()`)
        .where(sql<boolean>`boot_id <> all (${silentBoots}::uuid[])`)
        .where('session_count', '<', sql<number>`capacity`)
        .orderBy(sql`capacity - session_count`, 'desc')
        .orderBy(sql`coalesce(load_cpu, 0)`)
        .orderBy('id')
        .executeTakeFirst(),

    /** The open browser whose session has rested longest; none that works or is driven. */
    coldest: () =>
      db
        .selectFrom('browsers')
        .innerJoin('sessions', 'sessions.id', 'browsers.session_id')
        .innerJoin('hosts', (join) =>
          join.onRef('hosts.id', '=', 'browsers.host_id').onRef('hosts.boot_id', '=', 'browsers.boot_id'),
        )
        .select(['browsers.session_id', 'browsers.host_id', 'browsers.epoch'])
        .where('sessions.status', 'in', ['idle', 'closed'])
        .where('hosts.lease_until', '>', sql<Date>`now()`)
        // Somebody may look at one that rests: those come last.
        .orderBy(sql`exists (select from hosts h cross join lateral ${sql.raw(heldSessions)}
                             where h.id = browsers.host_id and s.session_id = browsers.session_id and s.is_watched)`)
        .orderBy('sessions.updated_at')
        .executeTakeFirst(),

    /** Keeps what the host that holds the browser hands over; nobody else's, and nothing of an older driver. */
    keepState: (tx: Tx, sessionId: string, { hostId, epoch }: Held, state: object): Promise<boolean> =>
      keep(tx, sessionId, state, (update) => update.where('host_id', '=', hostId).where('epoch', '=', epoch)),

    /** Whether this host has it, under this epoch. */
    async isHeldBy(tx: Tx, sessionId: string, { hostId, epoch }: Held): Promise<boolean> {
      const row = await tx.db
        .selectFrom('browsers')
        .select('session_id')
        .where('session_id', '=', sessionId)
        .where('host_id', '=', hostId)
        .where('epoch', '=', epoch)
        .executeTakeFirst();
      return row !== undefined;
    },

    /** No host holds it any more; its saved state stays. False where it was so already, or somebody else has it. */
    async release(tx: Tx, sessionId: string, { hostId, epoch }: Held): Promise<boolean> {
      const { numUpdatedRows } = await tx.db
        .updateTable('browsers')
        .set({ host_id: null, boot_id: null })
        .where('session_id', '=', sessionId)
        .where('host_id', '=', hostId)
        .where('epoch', '=', epoch)
        .executeTakeFirst();
      if (numUpdatedRows > 0n) await countSessions(tx, hostId, -1);
      return numUpdatedRows > 0n;
    },

    /** Browsers that nobody works in, drives or watches, and that were not used for so long. */
    async unused(idleMs: number): Promise<(Held & { sessionId: string })[]> {
      const { rows } = await pool.query<Held & { sessionId: string }>({
        name: 'browsers.unused',
        text: `select b.session_id as "sessionId", b.host_id as "hostId", b.epoch
               from hosts h cross join lateral ${heldSessions}
               join browsers b on b.session_id = s.session_id and b.host_id = h.id and b.boot_id = h.boot_id
                 -- A host that was not told of a newer driver holds it all the same.
                 and s.epoch <= b.epoch
               join sessions on sessions.id = b.session_id
               where h.lease_until > now() and sessions.status in ('idle', 'closed') and not s.is_watched
                 and s.idle_ms + 1000 * extract(epoch from now() - h.seen_at) >= $1`,
        values: [idleMs],
      });
      return rows;
    },

    /**
     * Takes the browser away from its host under a new epoch, which is the answer, unless somebody has begun to use the
     * session: whoever does from now on opens it anew, and is not met by the closing of the old one.
     */
    async park(tx: Tx, sessionId: string, { hostId, epoch }: Held): Promise<number | undefined> {
      const { rows } = await tx.client.query<{ epoch: number }>({
        name: 'browsers.park',
        text: `update browsers b set host_id = null, boot_id = null, epoch = b.epoch + 1
               from sessions s
               where b.session_id = $1 and b.host_id = $2 and b.epoch = $3
                 and s.id = b.session_id and s.status in ('idle', 'closed')
                 and not exists (select from tasks t
                                 where t.session_id = $1 and t.status not in ('success', 'failed', 'cancelled'))
               returning b.epoch`,
        values: [sessionId, hostId, epoch],
      });
      if (rows[0]) await countSessions(tx, hostId, -1);
      return rows[0]?.epoch;
    },

    /** Browsers of sessions whose task has waited for a person for so long. */
    async forgotten(waitMs: number): Promise<(Held & { sessionId: string })[]> {
      const { rows } = await pool.query<Held & { sessionId: string }>({
        name: 'browsers.forgotten',
        text: `select b.session_id as "sessionId", b.host_id as "hostId", b.epoch
               from tasks t join browsers b on b.session_id = t.session_id
               join hosts h on h.id = b.host_id and h.boot_id = b.boot_id
               where t.status = 'awaiting_user' and t.paused_at < now() - make_interval(secs => $1 / 1000.0)
                 and h.lease_until > now()`,
        values: [waitMs],
      });
      return rows;
    },

    /** The same as `park` for the browser of a task that waits for a person, unless it no longer does. */
    async parkWaiting(tx: Tx, sessionId: string, { hostId, epoch }: Held): Promise<number | undefined> {
      const { rows } = await tx.client.query<{ epoch: number }>({
        name: 'browsers.parkWaiting',
        text: `update browsers b set host_id = null, boot_id = null, epoch = b.epoch + 1
               where b.session_id = $1 and b.host_id = $2 and b.epoch = $3
                 and exists (select from tasks t where t.session_id = $1 and t.status = 'awaiting_user')
                 and not exists (select from tasks t where t.session_id = $1 and t.status in ('running', 'takeover'))
               returning b.epoch`,
        values: [sessionId, hostId, epoch],
      });
      if (rows[0]) await countSessions(tx, hostId, -1);
      return rows[0]?.epoch;
    },

    /** Keeps what a parked browser left; not where it was opened anew in the meantime. */
    keepParked: (tx: Tx, sessionId: string, epoch: number, state: object): Promise<boolean> =>
      keep(tx, sessionId, state, (update) => update.where('host_id', 'is', null).where('epoch', '=', epoch)),

    /** Browsers that hosts still hold although they were taken from them, with an epoch under which they may be closed. */
    async strays(): Promise<(Held & { sessionId: string })[]> {
      const { rows } = await pool.query<Held & { sessionId: string }>({
        name: 'browsers.strays',
        text: `select s.session_id as "sessionId", h.id as "hostId", coalesce(b.epoch, s.epoch) as epoch
               from hosts h cross join lateral ${heldSessions}
               left join browsers b on b.session_id = s.session_id
               where h.lease_until > now() and (b.session_id is null
                 or (b.epoch > s.epoch and (b.host_id, b.boot_id) is distinct from (h.id, h.boot_id)))`,
      });
      return rows;
    },

    /** Browsers whose hosts have not heard, a while after, who drives them now. */
    async behind(): Promise<(Held & { sessionId: string; isPerson: boolean })[]> {
      const { rows } = await pool.query<Held & { sessionId: string; isPerson: boolean }>({
        name: 'browsers.behind',
        text: `select b.session_id as "sessionId", h.id as "hostId", b.epoch,
                 exists (select from takeovers w where w.session_id = b.session_id and w.epoch = b.epoch
                         and w.status in ('requested', 'active')) as "isPerson"
               from hosts h cross join lateral ${heldSessions}
               join browsers b on b.session_id = s.session_id and b.host_id = h.id and b.boot_id = h.boot_id
               where h.lease_until > now() and b.epoch > s.epoch
                 and not exists (select from tasks t where t.session_id = b.session_id and t.status = 'running')
               limit 50`,
      });
      return rows;
    },

    /** Sessions said to have a browser, whose host is gone. */
    async gone(): Promise<string[]> {
      const { rows } = await pool.query<{ id: string }>({
        name: 'browsers.gone',
        text: `select id from sessions where browser <> 'cold' and not ${isAtLiveHost('sessions.id')}`,
      });
      return rows.map(({ id }) => id);
    },

    /** Takes it from a host that is gone; false where a live one has it. */
    async releaseGone(tx: Tx, sessionId: string): Promise<boolean> {
      await tx.client.query({
        name: 'browsers.releaseGone',
        text: `update browsers set host_id = null, boot_id = null
               where session_id = $1 and host_id is not null and not ${isAtLiveHost('browsers.session_id')}`,
        values: [sessionId],
      });
      const { rows } = await tx.client.query<{ is_gone: boolean }>({
        name: 'browsers.isGone',
        text: `select not ${isAtLiveHost('$1')} as is_gone`,
        values: [sessionId],
      });
      return rows[0]?.is_gone === true;
    },
  };
}

/** Pages keep what they like, and jsonb does not hold all of it: half a character, or none. */
function storable(state: object): string {
  const text = JSON.stringify(state);
  return /\\u(0000|d[89a-f])/i.test(text) ? JSON.stringify({ encoded: Buffer.from(text).toString('base64') }) : text;
}
const restored = (kept: object | null): object | null =>
  kept && 'encoded' in kept ? JSON.parse(Buffer.from(String(kept.encoded), 'base64').toString()) : kept;

/** Where a host has to be told of a new epoch. */
export type Fence = { session_id: string; host_id: string; epoch: number };

/** The person who has its wheel, and under which epoch. */
const driver = sql<{
  userId: string;
  epoch: number;
} | null>`(select json_build_object('userId', w.holder_id, 'epoch', w.epoch) from takeovers w
           where w.session_id = browsers.session_id and w.status = 'active')`;

const savedColumns = ['state', 'sealed_state', 'key_id'] as const;
type SavedColumns = Pick<Selectable<Browsers>, (typeof savedColumns)[number]>;

const owned = (sessionId: string) => `session ${sessionId}`;

/** Who has a browser, and under which epoch. */
type Held = { hostId: string; epoch: number };

const heldSessions =
  'jsonb_to_recordset(h.sessions) as s(session_id uuid, epoch bigint, is_watched boolean, idle_ms bigint)';

const isAtLiveHost = (sessionId: string) =>
  `exists (select from browsers at join hosts h on h.id = at.host_id and h.boot_id = at.boot_id
           where at.session_id = ${sessionId} and h.lease_until > now())`;

/** Until the host's next heartbeat says it better: who looks for room in between should not be misled. */
const countSessions = (tx: Tx, hostId: string, change: 1 | -1) =>
  tx.db
    .updateTable('hosts')
    .set({ session_count: sql`greatest(0, session_count + ${change}::int)` })
    .where('id', '=', hostId)
    .execute();
