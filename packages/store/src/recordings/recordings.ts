import type { Selectable } from 'kysely';
import type { Database } from './db.ts';
import type { StoredEvent } from './events.ts';
import type { RecordedFrames } from './generated.ts';
import { decodePlace, type Place, toPlacePage } from './pages.ts';

export type RecordedFrameRow = Pick<Selectable<RecordedFrames>, (typeof frameColumns)[number]>;
/** One moment of a session: something the log tells, or a frame. */
export type RecordingRow = Place & ({ event: StoredEvent } | { frame: RecordedFrameRow });
export type RecordingList = {
  /** Which events of the log. */
  kinds: readonly string[];
  /** From the one moment on, and until just before the other. */
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

type Row = Place &
  Omit<StoredEvent, 'seq' | 'kind' | 'data'> & { kind: string | null; data: StoredEvent['data'] } & Pick<
    Selectable<RecordedFrames>,
    FrameOnly
  >;

/**
 * The log and the frames of one session, each along its key and no further than a page. An event is followed by the
 * frames that came after it, and all of it was numbered under one lock: nothing ever appears behind a page that was read.
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

/** Halves the log again and again: within a session time never runs backwards. */
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

/** What was kept of sessions, on one time axis each. */
export function createRecordings({ db, pool }: Database) {
  /** The last event before the moment; 0, where there is none. */
  async function lastSeqBefore(sessionId: string, moment: string): Promise<number> {
    const { rows } = await pool.query<{ seq: number | null }>({
      name: 'recordings.lastSeqBefore',
      text: lastSeqBeforeText,
      values: [sessionId, moment],
    });
    return rows[0]?.seq ?? 0;
  }

  return {
    /** Oldest first. Pages stay right while the session goes on. */
    async pageOf(sessionId: string, { kinds, from, to, limit, cursor }: RecordingList) {
      const begin = cursor ? decodePlace(cursor) : { seq: from ? await lastSeqBefore(sessionId, from) : 0, id: 0 };
      const end = to ? await lastSeqBefore(sessionId, to) : beyondAll;
      const { rows } = await pool.query<Row>({
        name: 'recordings.page',
        text: pageText,
        values: [sessionId, begin.seq, begin.id, limit + 1, end, kinds, from ?? '-infinity', to ?? 'infinity'],
      });
      return toPlacePage(rows.map(splitRow), limit);
    },

    /** Nothing, for one that is being removed. */
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
