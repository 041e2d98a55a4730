// Repeats a call that failed for now. Only for calls that change nothing when they are sent twice.

import { type Clock, systemClock } from './clock.ts';
import { ApiError, willPass } from './errors.ts';

export type AgainOptions = {
  signal?: AbortSignal;
  /** After this time the last failure is thrown. */
  forMs?: number;
  /** Whether the same call may succeed later. */
  isPassing?: (error: unknown) => boolean;
  clock?: Clock;
};

const firstMs = 200;
const mostMs = 4000;

export async function untilItPasses<T>(call: () => Promise<T>, options: AgainOptions = {}): Promise<T> {
  const { signal, forMs = 60_000, isPassing = willPass, clock = systemClock } = options;
  const end = clock.now() + forMs;
  for (let waitMs = firstMs; ; waitMs = Math.min(waitMs * 2, mostMs)) {
    try {
      return await call();
    } catch (error) {
      const askedMs = error instanceof ApiError ? (error.retryAfterSecs ?? 0) * 1000 : 0;
      const nextMs = Math.max(waitMs, askedMs);
      if (!isPassing(error) || clock.now() + nextMs > end) throw error;
      await clock.sleep(nextMs, signal);
    }
  }
}
