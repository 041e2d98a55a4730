// What a user may use of models in a day, and has used of it. The day is of the database's clock, in UTC. Counts calls that are on
// record, so no process keeps a counter.

import type { Database, Tx } from '../db/db.ts';

/** For each user and day: tokens, and millionths of a dollar. 0: no limit. */
export type ModelLimits = { tokens: number; costMicros: number };
/** Since midnight. Nobody knows what open and lost calls used: they count as estimated. */
export type ModelUseToday = { tokens: number; costMicros: number; endsAt: Date; leftSecs: number };

export const noModelLimits: ModelLimits = { tokens: 0, costMicros: 0 };
export const hasModelLimits = ({ tokens, costMicros }: ModelLimits): boolean => tokens > 0 || costMicros > 0;

/** Of the transaction: the planner knows it, and so how few rows of a long history are of this day. */
const midnight = `(date_trunc('day', now() at time zone 'UTC') at time zone 'UTC')`;
const todayText = `with used as (
  select coalesce(sum(case when c.status in ('begun', 'lost') then c.estimated_tokens
      else c.input_tokens + c.output_tokens end), 0)::bigint as tokens,
    coalesce(sum(c.cost_micros), 0)::bigint as cost_micros
  from model_calls c where c.user_id = $1 and c.begun_at >= ${midnight}
), without_task as (
  select coalesce(sum(tokens), 0)::bigint as tokens, coalesce(sum(cost_micros), 0)::bigint as cost_micros
  from model_uses where user_id = $1 and used_at >= ${midnight}
)
select used.tokens + without_task.tokens as tokens, used.cost_micros + without_task.cost_micros as "costMicros",
  ${midnight} + interval '1 day' as "endsAt",
  ceil(extract(epoch from ${midnight} + interval '1 day' - now()))::int as "leftSecs"
from used, without_task`;

const addText = `with removed as (
  delete from model_uses where user_id = $1 and used_at < clock_timestamp() - interval '2 days'
)
insert into model_uses (user_id, tokens, cost_micros) values ($1, $2, $3)`;

export function createModelBudget({ pool }: Database) {
  return {
    /** What a model used for this user without a task. */
    async add(userId: string, { tokens, costMicros }: Pick<ModelUseToday, 'tokens' | 'costMicros'>): Promise<void> {
      await pool.query({ name: 'modelBudget.add', text: addText, values: [userId, tokens, costMicros] });
    },

    async today(userId: string, tx?: Tx): Promise<ModelUseToday> {
      const query = { name: 'modelBudget.today', text: todayText, values: [userId] };
      const { rows } = await (tx?.client ?? pool).query<ModelUseToday>(query);
      const [today] = rows;
      if (!today) throw new Error('the database gives no day');
      return today;
    },
  };
}

/** A sentence for people where the budget of the day is used up. */
export function usedUpToday({ tokens, costMicros, endsAt }: ModelUseToday, limits: ModelLimits): string | undefined {
  const again = `It begins again at ${endsAt.toISOString().slice(0, 16).replace('T', ' ')} UTC.`;
  if (limits.tokens > 0 && tokens >= limits.tokens)
    return `The ${limits.tokens} tokens that models may use for one person in a day are used up. ${again}`;
  if (limits.costMicros > 0 && costMicros >= limits.costMicros)
    return `The ${limits.costMicros / 1_000_000} dollars that models may cost for one person in a day are used up. ${again}`;
  return undefined;
}
