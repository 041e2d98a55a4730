// Removes old frames in two steps: first they are no longer shown (`leaving`), then their bytes and rows are removed.

import type { Database, Tx } from '../db/db.ts';

/** A frame that is to be removed. */
export type DueFrame = { sessionId: string; frameId: string };

const due = 'session_id as "sessionId", frame_id as "frameId"';

// Removes every reference to the pictures. The newest frame of a session, from which its view is restored, stays, and
// is not considered again until a newer one replaces it.
const leaveText = `
with passed as (
  update recorded_frames f
  set retention = (case when exists (select from frames s where s.session_id = $1 and s.frame_id = f.frame_id)
                   then 'last' else 'leaving' end)::frame_retention
  where f.session_id = $1 and f.frame_id = any($2) and f.retention = 'usual'
  returning frame_id, seq, step_id, byte_len, retention
), gone as (
  select * from passed where retention = 'leaving'
), counted as (
  update session_seq set frame_bytes = frame_bytes - (select coalesce(sum(byte_len), 0) from gone) where session_id = $1
), seen as (
  update observations o set blob_key = null, content_type = null, byte_len = null, width = null, height = null
  from gone where o.id = gone.frame_id
), told as (
  update events e set data = jsonb_set(e.data, '{observation,artifact}', 'null')
  from gone where gone.step_id is not null and e.session_id = $1 and e.seq = gone.seq and e.kind = 'observation'
)
select count(*)::int as count from gone`;

export function createRetention({ pool }: Database) {
  return {
    /** Frames that are older than this, oldest first. */
    async aged(days: number, limit: number): Promise<DueFrame[]> {
      const { rows } = await pool.query<DueFrame>({
        name: 'retention.aged',
        text: `select ${due} from recorded_frames
               where retention = 'usual' and recorded_at < now() - make_interval(days => $1)
               order by recorded_at limit $2`,
        values: [days, limit],
      });
      return rows;
    },

    /** Of each user whose frames take more than this: the oldest, until the rest fits. */
    async surplus(maxBytes: number, limit: number): Promise<DueFrame[]> {
      const { rows } = await pool.query<DueFrame>({
        name: 'retention.surplus',
        text: `with full_users as (
                 select s.owner_id, sum(q.frame_bytes) - $1 as surplus
                 from session_seq q join sessions s on s.id = q.session_id
                 where q.frame_bytes > 0 group by s.owner_id having sum(q.frame_bytes) > $1
               )
               select ${due} from full_users u cross join lateral (
                 select session_id, frame_id, recorded_at, id, sum(byte_len) over (order by recorded_at, id) - byte_len as bytes_before
                 from (select * from recorded_frames where owner_id = u.owner_id and retention = 'usual'
                       order by recorded_at, id limit $2) as oldest
               ) as f
               where f.bytes_before < u.surplus order by f.recorded_at, f.id limit $2`,
        values: [maxBytes, limit],
      });
      return rows;
    },

    /** Stops showing these frames; returns how many. Call in a transaction that has locked the session. */
    async leave({ client }: Tx, sessionId: string, frameIds: readonly string[]): Promise<number> {
      const { rows } = await client.query<{ count: number }>({
        name: 'retention.leave',
        text: leaveText,
        values: [sessionId, frameIds],
      });
      return rows[0]?.count ?? 0;
    },

    /** Frames that are no longer shown, and whose bytes may still be stored. */
    async leaving(limit: number): Promise<{ frame_id: string; blob_key: string | null }[]> {
      const { rows } = await pool.query<{ frame_id: string; blob_key: string | null }>({
        name: 'retention.leaving',
        text: `select frame_id, blob_key from recorded_frames where retention = 'leaving' order by frame_id limit $1`,
        values: [limit],
      });
      return rows;
    },

    /**
     * After their bytes are removed. Rows that another transaction is removing, such as a purge of the session, are
     * skipped.
     */
    async forget(frameIds: readonly string[]): Promise<void> {
      await pool.query({
        name: 'retention.forget',
        text: `delete from recorded_frames where frame_id in (
                 select frame_id from recorded_frames where frame_id = any($1) and retention = 'leaving'
                 for update skip locked)`,
        values: [frameIds],
      });
    },
  };
}
