// Calls of models for a task. A call is written before it is made, and ended once: none is unknown, and none is paid for twice.

import type { Selectable } from 'kysely';
import type { Database, Tx } from '../db/db.ts';
import type { ModelCalls as ModelCallTable, Tasks } from '../db/generated.ts';

export type ModelCallRow = Selectable<ModelCallTable>;
type TimedCall = ModelCallRow & { retry_in_ms: number; age_ms: number };
type TaskRow = Selectable<Tasks>;
type Held = { taskId: string; executionId: string };
type NewCall = { purpose: string; model: string; estimatedTokens: number };
/** In tokens. `input` holds what was read from and written to the vendor's cache. */
export type ModelUsage = { input: number; cached: number; cacheWritten: number; output: number; reasoning: number };
export type CallEnd = {
  status: 'ok' | 'failed' | 'aborted';
  usage?: ModelUsage;
  costMicros?: number;
  failure?: string;
  error?: string;
  /** The vendor wants to be asked again after this time. */
  retryAfterMs?: number;
};

const beginText = `with held as (
  update tasks set model_calls = model_calls + 1, updated_at = date_trunc('milliseconds', clock_timestamp())
  where id = $1 and execution_id = $2 and status = 'running' returning id, model_calls, created_by
)
insert into model_calls (task_id, number, execution_id, purpose, model, estimated_tokens, user_id)
select id, model_calls, $2, $3, $4, $5, created_by from held returning *`;

const endText = `with ended as (
  update model_calls set status = $3, ended_at = date_trunc('milliseconds', clock_timestamp()), input_tokens = $4,
    cached_tokens = $5, cache_written_tokens = $6, output_tokens = $7, reasoning_tokens = $8, cost_micros = $9,
    failure = $10, error = $11, retry_at = clock_timestamp() + make_interval(secs => $12::float8 / 1000.0)
  where task_id = $1 and number = $2 and status = 'begun' returning task_id
)
update tasks set input_tokens = tasks.input_tokens + $4, cached_tokens = tasks.cached_tokens + $5,
  output_tokens = tasks.output_tokens + $7, cost_micros = tasks.cost_micros + $9
from ended where tasks.id = ended.task_id returning tasks.*`;

export function createModelCalls({ pool }: Database) {
  return {
    /** Undefined if this execution no longer holds the task: then no call may be made. */
    async begin({ client }: Tx, { taskId, executionId }: Held, call: NewCall): Promise<ModelCallRow | undefined> {
      const values = [taskId, executionId, call.purpose, call.model, call.estimatedTokens];
      return (await client.query<ModelCallRow>({ name: 'modelCalls.begin', text: beginText, values })).rows[0];
    },

    /** Ends a call and counts what it used, also where another execution holds the task by now. Undefined if it has ended. */
    async end({ client }: Tx, { task_id, number }: ModelCallRow, end: CallEnd): Promise<TaskRow | undefined> {
      const { input = 0, cached = 0, cacheWritten = 0, output = 0, reasoning = 0 } = end.usage ?? {};
      const used = [input, cached, cacheWritten, output, reasoning, end.costMicros ?? 0];
      const problem = [end.failure ?? null, end.error ?? null, end.retryAfterMs ?? null];
      const values = [task_id, number, end.status, ...used, ...problem];
      return (await client.query<TaskRow>({ name: 'modelCalls.end', text: endText, values })).rows[0];
    },

    /** Calls that an agent left open when it was lost. Nobody knows what they used. */
    async lose({ client }: Tx, taskId: string): Promise<number> {
      const { rowCount } = await client.query({
        name: 'modelCalls.lose',
        text: `update model_calls set status = 'lost', ended_at = date_trunc('milliseconds', clock_timestamp())
               where task_id = $1 and status = 'begun'`,
        values: [taskId],
      });
      return rowCount ?? 0;
    },

    /** Oldest first, each with its age and the time until the vendor wants to be asked again, by the database's clock. */
    async of(taskId: string): Promise<TimedCall[]> {
      const { rows } = await pool.query<TimedCall>({
        name: 'modelCalls.of',
        text: `select *, greatest(0, coalesce(round(1000 * extract(epoch from retry_at - clock_timestamp())), 0))::int
                 as retry_in_ms,
                 round(1000 * extract(epoch from clock_timestamp() - begun_at))::float8 as age_ms
               from model_calls where task_id = $1 order by number`,
        values: [taskId],
      });
      return rows;
    },
  };
}
