// Who drove a session when: from the rows of tasks, attempts, questions and takeovers, without reading frames or events.

import { decodeMoment, encodeMoment } from '../db/cursors.ts';
import type { Database } from '../db/db.ts';
import { type Band, bandsOf, type Span } from './band-sweep.ts';

export type BandRow = Band;
export type BandList = { from?: string; to?: string; limit: number; cursor?: string };

/** Spans that are read at once, at least: more than can overlap one moment. */
const leastSpans = 50;

/** Each source is read in the order of its begin and no further than a page; what is not read begins after the last of it. */
const spansText = `
with worked as (
  select id, started_at, finished_at, question, answers, plan from tasks
  where session_id = $1 and started_at < $3 and coalesce(finished_at, 'infinity') > $2 order by started_at limit $4
), spans (kind, begin, until, task_id, step_index, holder_id) as (
  select 'agent', started_at, finished_at, id, null::int, null::uuid from worked
  union all
  select 'waiting', (a->>'asked_at')::timestamptz, (a->>'answered_at')::timestamptz, id, null, null
  from worked cross join jsonb_array_elements(answers) as a
  union all
  select 'waiting', (question->>'asked_at')::timestamptz, null, id, null, null from worked where question is not null
  union all
  -- A question that was never answered ends with the attempt that asked it.
  select case when w.plan->'steps'->(s.index - 1)->>'action' = 'ask' then 'waiting' else 'failed' end,
    s.intent_at, s.effect_at, s.task_id, s.index, null
  from worked w join steps s on s.task_id = w.id where s.status in ('failed', 'interrupted')
  union all
  (select 'person', activated_at, coalesce(returned_at, ended_at), task_id, null, holder_id from takeovers
   where session_id = $1 and activated_at < $3 and coalesce(returned_at, ended_at, 'infinity') > $2
   order by activated_at limit $4)
)
select kind, begin, until, task_id as "taskId", step_index as "stepIndex", holder_id as "holderId" from spans
where begin < $3 and coalesce(until, 'infinity') > $2 order by begin limit $4`;

export function createBands({ pool }: Database) {
  return {
    /** Oldest first and without gaps, from the session's begin or `from` up to now or `to`. */
    async bandsOf(sessionId: string, { from, to, limit, cursor }: BandList) {
      const { rows: times } = await pool.query<{ begin: Date; now: Date; end: Date }>({
        name: 'bands.times',
        text: `select greatest(created_at, $2) as begin, t.now, least(t.now, $3) as "end"
               from sessions cross join (select date_trunc('milliseconds', clock_timestamp()) as now) t where id = $1`,
        values: [sessionId, cursor ? decodeMoment(cursor) : (from ?? '-infinity'), to ?? 'infinity'],
      });
      const [time] = times;
      if (!time || time.begin >= time.end) return { rows: [], nextCursor: null };
      const most = Math.max(limit, leastSpans);
      const { rows: spans } = await pool.query<Span>({
        name: 'bands.spans',
        text: spansText,
        values: [sessionId, time.begin, time.end, most + 1],
      });
      const end = spans[most]?.begin ?? time.end;
      const all = bandsOf(spans.slice(0, most), { begin: time.begin, end });
      const rows = all.slice(0, limit);
      const last = rows.at(-1);
      if (last?.to && last.to < time.end) return { rows, nextCursor: encodeMoment(last.to) };
      // What reaches the present goes on.
      if (last && time.end.getTime() === time.now.getTime()) last.to = null;
      return { rows, nextCursor: null };
    },
  };
}
