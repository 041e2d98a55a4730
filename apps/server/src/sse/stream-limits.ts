import type { ServerResponse } from 'node:http';
import { AppError } from '@pilothouse/contract';
import { type Caller, type Guest, isGuest } from '@pilothouse/store';

/** How many streams may be open at a time in this process. */
export type StreamSettings = { perUser: number; perAddress: number };

/** A place is free when somebody leaves, and nobody knows when: soon enough to be felt, and not a storm. */
const retryAfterSecs = 5;

/**
 * The places of open streams, so that nobody takes all that a server has. Each is given back when the response is over,
 * in whatever way: the viewer left, the stream was closed, or the call was refused after all.
 */
export function createStreamPlaces({ perUser, perAddress }: StreamSettings) {
  const taken = new Map<string, number>();

  function take(key: string, count: number, limit: { name: string; most: number }, response: ServerResponse): void {
    // Whoever has left already holds no place, and will not tell a second time.
    if (response.destroyed) return;
    const now = (taken.get(key) ?? 0) + count;
    if (now > limit.most) throw noPlace(limit);
    taken.set(key, now);
    // Said once; `once` itself would keep more for each stream than this does.
    response.on('close', () => {
      const left = (taken.get(key) ?? 0) - count;
      if (left > 0) taken.set(key, left);
      else taken.delete(key);
    });
  }

  return {
    /** One for each response: an address is limited in its connections. */
    ofAddress: (address: string, response: ServerResponse) =>
      take(`address ${address}`, 1, { name: 'streams_address', most: perAddress }, response),

    /** One for each stream that the response carries: a user is limited in what is followed. Guests are one by share. */
    ofCaller: (caller: Caller | Guest, count: number, response: ServerResponse) =>
      take(
        isGuest(caller) ? `share ${caller.shareId}` : `user ${caller.id}`,
        count,
        { name: 'streams_user', most: perUser },
        response,
      ),
  };
}
export type StreamPlaces = ReturnType<typeof createStreamPlaces>;

function noPlace({ name, most }: { name: string; most: number }): AppError {
  return new AppError('rate_limited', {
    detail: `No more than ${most} streams may be open at a time. Close some, or try again shortly.`,
    retryAfterSecs,
    headers: { 'ratelimit-policy': `"${name}";q=${most}`, ratelimit: `"${name}";r=0;t=${retryAfterSecs}` },
  });
}
