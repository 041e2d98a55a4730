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

    /** Forgets what a limit has counted for every key that is meant. Reads them all: for commands, not for requests. */
    async forgetWhere(name: string, isMeant: (key: string) => boolean): Promise<number> {
      const { rows } = await pool.query<{ key: string }>('select key from rate_limits where starts_with(key, $1)', [
        `${name}:`,
      ]);
      const meant = rows.map(({ key }) => key).filter((key) => isMeant(key.slice(name.length + 1)));
      await pool.query('delete from rate_limits where key = any($1)', [meant]);
      return meant.length;
    },

    /** Counters of windows that are long over. */
    async sweep(): Promise<void> {
      await pool.query('delete from rate_limits where expire < $1', [Date.now() - 3_600_000]);
    },
  };
}
export type Limiter = ReturnType<ReturnType<typeof createLimits>['open']>;
