import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Database } from './db.ts';

export type Limit = { name: string; points: number; windowSecs: number };
/** What is left of a limit; over it, nothing is, and `retryAfterSecs` says until when. */
export type Spent = { isOver: boolean; limit: number; remaining: number; windowSecs: number; retryAfterSecs: number };

/** Limits that are one limit, however many servers count: the counters are in the database. */
export function createLimits({ pool }: Database) {
  return {
    open({ name, points, windowSecs }: Limit) {
      const limiter = new RateLimiterPostgres({
        storeClient: pool,
        storeType: 'pool',
        tableName: 'rate_limits',
        tableCreated: true,
        keyPrefix: name,
        points,
        duration: windowSecs,
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
            // The library throws its result where the limit is over, and an error where it could not count.
            if (refused instanceof RateLimiterRes) return spent(refused, true);
            throw refused;
          }
        },
        forget: (key: string) => limiter.delete(key),
      };
    },

    /** Counters of windows that are long over. */
    async sweep(): Promise<void> {
      await pool.query('delete from rate_limits where expire < $1', [Date.now() - 3_600_000]);
    },
  };
}
export type Limiter = ReturnType<ReturnType<typeof createLimits>['open']>;
