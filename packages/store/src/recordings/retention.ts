// Removes old frames in two steps: first they are no longer shown (`leaving`), then their bytes and rows are removed.
// Every step claims a batch that no other agent has, so that agents share the work.

import type { Database, Tx } from '../db/db.ts';

/** What became of a batch: `passed` frames were considered, and `left` of them are no longer shown. */
export type Passed = { passed: number; left: number };
/** Days that frames and files are kept, and what the frames of one user may take. */
export type RetentionLimits = { keepDays: number; maxBytesPerUser: number; filesKeepDays: number };
type RetentionLook = { isDue: boolean; hasChanges: boolean };
/** Removes the blobs with these keys. */
export type RemoveBlobs = (keys: string[]) => Promise<void>;

/** At most this many sessions in one batch, so that other agents find sessions that are free. */
const sessionsPerBatch = 20;

// Sessions are locked without waiting: one in which something happens just now, or that another agent has, is left out.
// Whoever changes a frame has locked its session, so the frames need no lock of their own.
const agedText = `
with old as (
  select distinct session_id from (
    select session_id from recorded_frames
    where retention = 'usual' and recorded_at < now() - make_interval(days => $1)
    order by recorded_at limit 4 * $2
  ) as oldest
), held as materialized (
  select id from sessions where id in (select session_id from old) limit ${sessionsPerBatch} for update skip locked
)
select f.frame_id from held cross join lateral (
  select frame_id from recorded_frames
  where session_id = held.id and retention = 'usual' and recorded_at < now() - make_interval(days => $1)
  order by seq, id limit $2
) as f limit $2`;

// The oldest of the user whose bytes together reach $2.
const surplusText = `
with due as (
  select session_id, frame_id from (
    select session_id, frame_id, sum(byte_len) over (order by recorded_at, id) - byte_len as bytes_before
    from (select session_id, frame_id, byte_len, recorded_at, id from recorded_frames
          where owner_id = $1 and retention = 'usual' order by recorded_at, id limit $3) as oldest
  ) as counted where bytes_before < $2
), held as materialized (
  select id from sessions where id in (select session_id from due) for update skip locked
)
select due.frame_id from due join held on held.id = due.session_id`;

// Removes every reference to the pictures. The newest frame of an open session, from which its view is restored, stays,
// and is not considered again until a newer one replaces it or the session is closed.
const leaveText = `
with passed as (
  update recorded_frames f
  set retention = (case when exists (
      select from frames n join sessions s on s.id = n.session_id
      where n.session_id = f.session_id and n.frame_id = f.frame_id and s.status <> 'closed')
    then 'last' else 'leaving' end)::frame_retention
  where f.frame_id = any($1) and f.retention = 'usual'
  returning session_id, frame_id, seq, step_id, retention
), gone as (
  select * from passed where retention = 'leaving'
), shown as (
  delete from frames n using gone where n.session_id = gone.session_id and n.frame_id = gone.frame_id
), seen as (
  update observations o set blob_key = null, content_type = null, byte_len = null, width = null, height = null
  from gone where o.id = gone.frame_id
), told as (
  update events e set data = jsonb_set(e.data, '{observation,artifact}', 'null')
  from gone
  where gone.step_id is not null and e.session_id = gone.session_id and e.seq = gone.seq and e.kind = 'observation'
)
select (select count(*) from passed)::int as passed, (select count(*) from gone)::int as left`;

// Each along an index: agents ask this often, and mostly in vain. Only the oldest is compared, since a plan that does not
// know the age would expect to find many.
const dueText = `
select (select min(recorded_at) from recorded_frames where retention = 'usual') < now() - make_interval(days => $1) is true
    or exists (select from recorded_frames where retention = 'leaving')
    or exists (select from stored_bytes where pictures > $2)
    or exists (select from files where retention = 'leaving')
    or (select min(created_at) from files where retention = 'kept') < now() - make_interval(days => $3) is true as "isDue",
  exists (select from stored_bytes_changes) as "hasChanges"`;

export function createRetention({ pool, transaction }: Database) {
  return {
    /** Whether any frame or file may have to go, and whether there are changes of stored bytes to sum up. */
    async look({ keepDays, maxBytesPerUser, filesKeepDays }: RetentionLimits): Promise<RetentionLook> {
      const { rows } = await pool.query<RetentionLook>({
        name: 'retention.look',
        text: dueText,
        values: [keepDays, maxBytesPerUser, filesKeepDays],
      });
      return rows[0] ?? { isDue: true, hasChanges: true };
    },

    leave,

    /** Stops showing frames that are older than this, oldest first. Nothing `passed`: none is left to this agent. */
    leaveAged: (days: number, limit: number): Promise<Passed> =>
      transaction(async (tx) => leave(tx, await claim(tx, 'retention.aged', agedText, [days, limit]))),

    /**
     * Of one user whose frames take more than this, stops showing the oldest, until the rest fits or the batch is full.
     * Undefined if there is no such user, or other agents have them all.
     */
    leaveSurplus: (maxBytes: number, limit: number): Promise<Passed | undefined> =>
      transaction(async (tx) => {
        const user = await claimUser(tx, maxBytes);
        if (!user) return undefined;
        if (user.surplus <= 0) return { passed: 0, left: 0 };
        const ids = await claim(tx, 'retention.surplus', surplusText, [user.id, user.surplus, limit]);
        // All of them are in other hands: the next round looks again.
        return ids.length === 0 ? undefined : leave(tx, ids);
      }),

    /**
     * Removes the bytes of frames that are no longer shown, then their rows; returns how many. If it fails in between,
     * the rows are found again: no bytes are left without a row.
     */
    removeLeaving: (limit: number, remove: RemoveBlobs): Promise<number> =>
      transaction(async ({ client }) => {
        const { rows } = await client.query<{ frame_id: string; blob_key: string | null }>({
          name: 'retention.leaving',
          text: `select frame_id, blob_key from recorded_frames where retention = 'leaving' order by frame_id limit $1
                 for update skip locked`,
          values: [limit],
        });
        if (rows.length === 0) return 0;
        await remove(rows.flatMap(({ blob_key }) => blob_key ?? []));
        await client.query({
          name: 'retention.forget',
          text: `delete from recorded_frames where frame_id = any($1) and retention = 'leaving'`,
          values: [rows.map(({ frame_id }) => frame_id)],
        });
        return rows.length;
      }),

    /** The last frame of a session that is closed may be removed like every other. Lock the session before. */
    async releaseLast({ client }: Tx, sessionId: string): Promise<void> {
      await client.query({
        name: 'retention.releaseLast',
        text: `update recorded_frames set retention = 'usual' where session_id = $1 and retention = 'last'`,
        values: [sessionId],
      });
    },

    /** For how many seconds the oldest frame has been older than this; 0 if none is. */
    async overdueSecs(days: number): Promise<number> {
      const { rows } = await pool.query<{ secs: number }>({
        name: 'retention.overdue',
        text: `select greatest(0, extract(epoch from now() - make_interval(days => $1) - recorded_at))::float8 as secs
               from recorded_frames where retention = 'usual' order by recorded_at limit 1`,
        values: [days],
      });
      return rows[0]?.secs ?? 0;
    },
  };
}

/** Stops showing these frames. Call in a transaction that has locked their sessions. */
async function leave({ client }: Tx, frameIds: readonly string[]): Promise<Passed> {
  if (frameIds.length === 0) return { passed: 0, left: 0 };
  const { rows } = await client.query<Passed>({ name: 'retention.leave', text: leaveText, values: [frameIds] });
  return rows[0] ?? { passed: 0, left: 0 };
}

async function claim({ client }: Tx, name: string, text: string, values: unknown[]): Promise<string[]> {
  const { rows } = await client.query<{ frame_id: string }>({ name, text, values });
  return rows.map(({ frame_id }) => frame_id);
}

/** The surplus of one user who stores more than this and is in no other agent's hands. */
async function claimUser({ client }: Tx, maxBytes: number) {
  const { rows } = await client.query<{ user_id: string }>({
    name: 'retention.claimUser',
    text: `select user_id from stored_bytes where pictures > $1 order by pictures desc limit 1
           for update skip locked`,
    values: [maxBytes],
  });
  const [user] = rows;
  if (!user) return undefined;
  const { rows: summed } = await client.query<{ pictures: number }>({
    name: 'retention.sumUp',
    text: `with changes as (
             delete from stored_bytes_changes where user_id = $1 returning pictures, states
           )
           update stored_bytes set pictures = pictures + (select coalesce(sum(pictures), 0) from changes),
             states = states + (select coalesce(sum(states), 0) from changes)
           where user_id = $1 returning pictures`,
    values: [user.user_id],
  });
  return { id: user.user_id, surplus: (summed[0]?.pictures ?? 0) - maxBytes };
}
