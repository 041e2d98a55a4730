// The recordings of sessions: events and frames on one time axis.

import type { Selectable } from 'kysely';
import { decodeRecordingPosition, type RecordingPosition, toRecordingPage } from '../db/cursors.ts';
import type { Database } from '../db/db.ts';
import type { RecordedFrames } from '../db/generated.ts';
import type { StoredEvent } from '../sessions/events.ts';

export type RecordedFrameRow = Pick<Selectable<RecordedFrames>, (typeof frameColumns)[number]>;
/** One moment of a session: an event of the log, or a frame. */
export type RecordingRow = RecordingPosition & ({ event: StoredEvent } | { frame: RecordedFrameRow });
export type RecordingList = {
  /** The kinds of events that are included. */
  kinds: readonly string[];
  /** From this time on, and before that time. */
  from?: string;
  to?: string;
  limit: number;
  cursor?: string;
};

const frameColumns = [
  'frame_id',
  'session_id',
  'task_id',
  'step_id',
  'recorded_at',
  'content_type',
  'width',
  'height',
  'route',
  'private',
  'blob_key',
] as const;
type FrameOnly = Exclude<(typeof frameColumns)[number], keyof StoredEvent>;
const frameOnly = frameColumns.filter(
  (name): name is FrameOnly => !['session_id', 'task_id', 'recorded_at'].includes(name),
);

type Row = RecordingPosition &
  Omit<StoredEvent, 'seq' | 'kind' | 'data'> & { kind: string | null; data: StoredEvent['data'] } & Pick<
    Selectable<RecordedFrames>,
    FrameOnly
  >;

/**
 * The log and the frames of one session, each read along its key and no further than a page. An event is followed by
 * the frames that came after it. Both are numbered under one lock: no row is ever added before the end of a page that
 * was read.
 */
const pageText = `
select * from (
  (select session_id, seq, 0::bigint as id, recorded_at, task_id, kind, data, ${frameOnly.map((name) => `null as ${name}`)}
   from events
   where session_id = $1 and seq > $2 and seq <= $5 and kind = any($6) and recorded_at >= $7 and recorded_at < $8
   order by seq limit $4)
  union all
  (select session_id, seq, id, recorded_at, task_id, null, null, ${frameOnly}
   from recorded_frames
   where session_id = $1 and (seq, id) > ($2, $3) and seq <= $5 and retention <> 'leaving'
     and recorded_at >= $7 and recorded_at < $8
   order by seq, id limit $4)
) as items order by seq, id limit $4`;

/** A binary search in the log: within a session, times never decrease. */
const lastSeqBeforeText = `
with recursive halves as (
  select 0::bigint as low, last_seq + 1 as high from session_seq where session_id = $1
  union all
  select case when is_before then middle else low end, case when is_before then high else middle end
  from halves cross join lateral (select (low + high) / 2 as middle) as half
  cross join lateral (
    select coalesce((select recorded_at < $2 from events
                     where session_id = $1 and seq >= middle and seq < high order by seq limit 1), false) as is_before
  ) as found
  where high - low > 1
)
select min(low) filter (where high - low = 1) as seq from halves`;

const beyondAll = Number.MAX_SAFE_INTEGER;

export function createRecordings({ db, pool }: Database) {
  /** The last event before the time; 0 if there is none. */
  async function lastSeqBefore(sessionId: string, moment: string): Promise<number> {
    const { rows } = await pool.query<{ seq: number | null }>({
      name: 'recordings.lastSeqBefore',
      text: lastSeqBeforeText,
      values: [sessionId, moment],
    });
    return rows[0]?.seq ?? 0;
  }

  return {
    /** Oldest first. Pages stay correct while the session goes on. */
    async pageOf(sessionId: string, { kinds, from, to, limit, cursor }: RecordingList) {
      const begin = cursor
        ? decodeRecordingPosition(cursor)
        : { seq: from ? await lastSeqBefore(sessionId, from) : 0, id: 0 };
      const end = to ? await lastSeqBefore(sessionId, to) : beyondAll;
      const { rows } = await pool.query<Row>({
        name: 'recordings.page',
        text: pageText,
        values: [sessionId, begin.seq, begin.id, limit + 1, end, kinds, from ?? '-infinity', to ?? 'infinity'],
      });
      return toRecordingPage(rows.map(splitRow), limit);
    },

    /** Undefined for a frame that is being removed. */
    frameOf: (sessionId: string, frameId: string): Promise<RecordedFrameRow | undefined> =>
      db
        .selectFrom('recorded_frames')
        .select(frameColumns)
        .where('frame_id', '=', frameId)
        .where('session_id', '=', sessionId)
        .where('retention', '<>', 'leaving')
        .executeTakeFirst(),
  };
}

function splitRow({ id, kind, data, ...row }: Row): RecordingRow {
  const { session_id, seq, recorded_at, task_id } = row;
  if (kind === null) return { seq, id, frame: row };
  return { seq, id, event: { session_id, seq, recorded_at, task_id, kind, data } };
}
