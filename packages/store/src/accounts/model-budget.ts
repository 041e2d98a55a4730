// What a user may use of models in a day, and has used of it. The day is of the database's clock, in UTC. Counts calls that are on
// record, so no process keeps a counter.

import type { Database, Tx } from '../db/db.ts';

/** For each user and day: tokens, and millionths of a dollar. 0: no limit. */
export type ModelLimits = { tokens: number; costMicros: number };
/** Since midnight. Nobody knows what open and lost calls used: they count as estimated. */
export type ModelUseToday = { tokens: number; costMicros: number; endsAt: Date; leftSecs: number };

export const noModelLimits: ModelLimits = { tokens: 0, costMicros: 0 };
export const hasModelLimits = ({ tokens, costMicros }: ModelLimits): boolean => tokens > 0 || costMicros > 0;

const todayText = `with day as (
  select date_trunc('day', clock_timestamp() at time zone 'UTC') at time zone 'UTC' as begins_at
), used as (
  select coalesce(sum(case when c.status in ('begun', 'lost') then c.estimated_tokens
      else c.input_tokens + c.output_tokens end), 0)::bigint as tokens,
    coalesce(sum(c.cost_micros), 0)::bigint as cost_micros
  from model_calls c where c.user_id = $1 and c.begun_at >= (select begins_at from day)
)
select tokens, cost_micros as "costMicros", begins_at + interval '1 day' as "endsAt",
  ceil(extract(epoch from begins_at + interval '1 day' - clock_timestamp()))::int as "leftSecs"
from used, day`;

export function createModelBudget({ pool }: Database) {
  return {
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
