// The pictures that are kept: every frame of a recording, and the newest frame of each session.

import type { Selectable } from 'kysely';
import type { Database, Tx } from '../db/db.ts';
import type { Frames } from '../db/generated.ts';

export type FrameRow = Selectable<Frames>;

/** A picture whose bytes are stored already. */
type FrameFields = {
  session_id: string;
  frame_id: string;
  content_type: string;
  width: number;
  height: number;
  device_scale: number;
  /** As JSON. */
  route: string;
  private?: boolean;
};
/** The picture after a step, at the position of the step's event. */
export type StepFrame = FrameFields & {
  task_id?: string | null;
  step_id?: string | null;
  seq: number;
  recorded_at: Date;
  blob_key: string;
  byte_len: number;
};
/** What viewers saw at this moment; without bytes if it is private. */
export type WatchedFrame = FrameFields & { blob_key: string | null; byte_len: number };

// One statement: the frame is added to the recording, and it becomes the newest of its session. The table counts its bytes.
// The former newest frame is no longer protected from removal.
const putText = (place: string) => `
with place as (${place}),
kept as (
  insert into recorded_frames (session_id, seq, frame_id, owner_id, task_id, step_id, recorded_at, content_type,
    width, height, route, private, blob_key, byte_len)
  select $1, seq, $2::uuid, owner_id, task_id, step_id, recorded_at, $3::text, $4::int, $5::int, $7::jsonb, $8::boolean,
    $9::text, $10::int
  from place
), relieved as (
  update recorded_frames f set retention = 'usual' from place
  where f.session_id = $1 and f.retention = 'last' and $9::text is not null
), newest as (
  insert into frames (session_id, frame_id, task_id, seq, recorded_at, content_type, width, height, device_scale, route,
    private, blob_key)
  select $1, $2::uuid, task_id, seq, recorded_at, $3::text, $4::int, $5::int, $6::real, $7::jsonb, $8::boolean, $9::text
  from place where $9::text is not null
  on conflict (session_id) do update set frame_id = excluded.frame_id, task_id = excluded.task_id, seq = excluded.seq,
    recorded_at = excluded.recorded_at, content_type = excluded.content_type, width = excluded.width,
    height = excluded.height, device_scale = excluded.device_scale, route = excluded.route,
    private = excluded.private, blob_key = excluded.blob_key
  where frames.seq <= excluded.seq
)
select true as is_kept from place`;

const ofStep = putText(`
  select owner_id, $11::uuid as task_id, $12::text as step_id, $13::bigint as seq, $14::timestamptz as recorded_at
  from sessions where id = $1`);

const watched = putText(`
  select s.owner_id, t.id as task_id, null::text as step_id, q.last_seq as seq,
    date_trunc('milliseconds', clock_timestamp()) as recorded_at
  from sessions s join session_seq q on q.session_id = s.id
  join browsers b on b.session_id = s.id
  join recorders r on r.session_id = s.id
  cross join lateral (
    select id from tasks where session_id = s.id and status in ('running', 'takeover') and program_id is null
    order by created_at limit 1) t
  where s.id = $1 and s.recording and s.status in ('active', 'takeover')
    and b.host_id = $11 and b.epoch >= $13 and r.agent_id = $12 and r.until > clock_timestamp()`);

export function createFrames({ db }: Database) {
  const valuesOf = (frame: FrameFields & { blob_key: string | null; byte_len: number }) => [
    frame.session_id,
    frame.frame_id,
    frame.content_type,
    frame.width,
    frame.height,
    frame.device_scale,
    frame.route,
    frame.private ?? false,
    frame.blob_key,
    frame.byte_len,
  ];

  return {
    /** In the transaction that ends the step, which has locked the session. */
    async put({ client }: Tx, frame: StepFrame): Promise<void> {
      const { task_id = null, step_id = null, seq, recorded_at } = frame;
      const values = [...valuesOf(frame), task_id, step_id, seq, recorded_at];
      await client.query({ name: 'frames.put', text: ofStep, values });
    },

    /**
     * Adds a frame that a host published of a recorded session, if the host holds it under a known epoch and the agent
     * is its recorder. The caller has locked the session, so the frame comes after everything that readers can have
     * read.
     */
    async putWatched(
      { client }: Tx,
      frame: WatchedFrame,
      by: { hostId: string; epoch: number; agentId: string },
    ): Promise<boolean> {
      const values = [...valuesOf(frame), by.hostId, by.agentId, by.epoch];
      const { rowCount } = await client.query({ name: 'frames.putWatched', text: watched, values });
      return rowCount === 1;
    },

    /** The newest frame of a session. */
    of: (sessionId: string): Promise<FrameRow | undefined> =>
      db.selectFrom('frames').selectAll().where('session_id', '=', sessionId).executeTakeFirst(),
  };
}
