// What is recorded of one task, in pages along keys, for a bundle of evidence. Reads only.

import type { Selectable } from 'kysely';
import type { Database } from '../db/db.ts';
import type { RecordedFrames } from '../db/generated.ts';
import type { ModelCallRow } from '../ledger/model-calls.ts';
import type { StepRow } from '../ledger/steps.ts';
import type { TakeoverRow } from '../takeovers/takeovers.ts';
import type { TaskRow } from '../tasks/tasks.ts';

/** A picture of a task that the recording of its session keeps, or kept. */
export type KeptFrame = Pick<
  Selectable<RecordedFrames>,
  'id' | 'seq' | 'step_id' | 'recorded_at' | 'content_type' | 'private' | 'blob_key'
>;

export function createTaskEvidence({ pool }: Database) {
  return {
    /** By the database's clock. */
    async now(): Promise<Date> {
      const { rows } = await pool.query<{ at: Date }>(`select date_trunc('milliseconds', clock_timestamp()) as at`);
      if (!rows[0]) throw new Error('the database tells no time');
      return rows[0].at;
    },

    /** Attempts at steps after this one, in their order. */
    async attempts(taskId: string, after: { index: number; try: number }, limit: number): Promise<StepRow[]> {
      const { rows } = await pool.query<StepRow>({
        name: 'evidence.attempts',
        text: `select * from steps where task_id = $1 and (index, try) > ($2, $3) order by index, try limit $4`,
        values: [taskId, after.index, after.try, limit],
      });
      return rows;
    },

    /** Pictures of the task after this one, oldest first; private ones are named, and not for showing. */
    async frames(task: TaskRow, after: { seq: number; id: number }, limit: number): Promise<KeptFrame[]> {
      const { rows } = await pool.query<KeptFrame>({
        name: 'evidence.frames',
        text: `select id, seq, step_id, recorded_at, content_type, private, blob_key from recorded_frames
               where session_id = $1 and task_id = $2 and (seq, id) > ($3, $4) and retention <> 'leaving'
               order by seq, id limit $5`,
        values: [task.session_id, task.id, after.seq, after.id, limit],
      });
      return rows;
    },

    /** Which of these pictures of steps are private. */
    async privateOf(frameIds: readonly string[]): Promise<Set<string>> {
      const { rows } = await pool.query<{ frame_id: string }>({
        name: 'evidence.privateOf',
        text: 'select frame_id from recorded_frames where frame_id = any($1::uuid[]) and private',
        values: [frameIds],
      });
      return new Set(rows.map(({ frame_id }) => frame_id));
    },

    /** Ids rise with time. */
    async takeovers(taskId: string, afterId: string | null, limit: number): Promise<TakeoverRow[]> {
      const { rows } = await pool.query<TakeoverRow>({
        name: 'evidence.takeovers',
        text: `select * from takeovers where task_id = $1 and ($2::uuid is null or id > $2) order by id limit $3`,
        values: [taskId, afterId, limit],
      });
      return rows;
    },

    async modelCalls(taskId: string, afterNumber: number, limit: number): Promise<ModelCallRow[]> {
      const { rows } = await pool.query<ModelCallRow>({
        name: 'evidence.modelCalls',
        text: 'select * from model_calls where task_id = $1 and number > $2 order by number limit $3',
        values: [taskId, afterNumber, limit],
      });
      return rows;
    },

    /** The names of users by their ids, as they are now. */
    async namesOf(ids: readonly string[]): Promise<Map<string, string>> {
      const { rows } = await pool.query<{ id: string; username: string }>({
        name: 'evidence.namesOf',
        text: 'select id, username from users where id = any($1::uuid[])',
        values: [ids],
      });
      return new Map(rows.map(({ id, username }) => [id, username]));
    },
  };
}
