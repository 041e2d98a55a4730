// Rate limits that hold over all servers: the counters are in the database.

import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { countRows } from '../db/count-rows.ts';
import type { Database } from '../db/db.ts';

export type Limit = {
  name: string;
  points: number;
  windowSecs: number;
  /** Whether a key over the limit is refused from memory until its window ends: its calls then cost no statement. */
  isHeldInMemory?: boolean;
};
/** What is left of a limit. If it is exceeded, `retryAfterSecs` says when to try again. */
export type Spent = { isOver: boolean; limit: number; remaining: number; windowSecs: number; retryAfterSecs: number };

export function createLimits({ pool }: Database) {
  return {
    open({ name, points, windowSecs, isHeldInMemory = false }: Limit) {
      const limiter = new RateLimiterPostgres({
        storeClient: pool,
        storeType: 'pool',
        tableName: 'rate_limits',
        tableCreated: true,
        keyPrefix: name,
        points,
        duration: windowSecs,
        inMemoryBlockOnConsumed: isHeldInMemory ? points : 0,
      });
      const spent = (result: RateLimiterRes, isOver: boolean): Spent => ({
        isOver,
        limit: points,
        remaining: result.remainingPoints,
        windowSecs,
        retryAfterSecs: Math.max(1, Math.ceil(result.msBeforeNext / 1000)),
      });
      return {
        async spend(key: string): Promise<Spent> {
          try {
            return spent(await limiter.consume(key), false);
          } catch (refused) {
            // The library throws its result if the limit is exceeded, and an error if it could not count.
            if (refused instanceof RateLimiterRes) return spent(refused, true);
            throw refused;
          }
        },
        forget: (key: string) => limiter.delete(key),
      };
    },

    /** Resets a limit for every key that matches. It reads all keys: for operator commands, not for requests. */
    async forgetWhere(name: string, isMatch: (key: string) => boolean): Promise<number> {
      const { rows } = await pool.query<{ key: string }>('select key from rate_limits where starts_with(key, $1)', [
        `${name}:`,
      ]);
      const matching = rows.map(({ key }) => key).filter((key) => isMatch(key.slice(name.length + 1)));
      await pool.query('delete from rate_limits where key = any($1)', [matching]);
      return matching.length;
    },

    /** Removes counters whose window ended long ago. */
    async sweep(limit: number): Promise<number> {
      return countRows(pool, {
        name: 'limits.sweep',
        text: `delete from rate_limits where key in (
                 select key from rate_limits where expire < $1 order by expire limit $2 for update skip locked)`,
        values: [Date.now() - 3_600_000, limit],
      });
    },
  };
}
export type Limiter = ReturnType<ReturnType<typeof createLimits>['open']>;
