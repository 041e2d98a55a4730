// How many streams one user, share or address may have open at a server, so that none can use up the server.

import type { ServerResponse } from 'node:http';
import { AppError } from '@pilothouse/contract';
import { type Caller, type Guest, isGuest } from '@pilothouse/store';
import { addressGroupOf } from '../delivery/address-group.ts';

/** How many streams may be open at a time in this process. */
export type StreamSettings = { perUser: number; perAddress: number };

/** Nothing tells when a stream will end: this is soon enough to be felt, and not a storm. */
const retryAfterSecs = 5;

/** A stream counts until its response is over: the viewer left, the stream was closed, or the call was refused later. */
export function createStreamLimits({ perUser, perAddress }: StreamSettings) {
  const open = new Map<string, number>();

  function count(key: string, streams: number, limit: { name: string; most: number }, response: ServerResponse): void {
    // A response that is closed already emits no second `close`.
    if (response.destroyed) return;
    const now = (open.get(key) ?? 0) + streams;
    if (now > limit.most) throw overLimit(limit);
    open.set(key, now);
    // `once` would keep more memory for each stream, and `close` comes once anyway.
    response.on('close', () => {
      const left = (open.get(key) ?? 0) - streams;
      if (left > 0) open.set(key, left);
      else open.delete(key);
    });
  }

  return {
    /** One for each response: an address is limited in its connections. */
    ofAddress: (address: string, response: ServerResponse) =>
      count(`address ${addressGroupOf(address)}`, 1, { name: 'streams_address', most: perAddress }, response),

    /** One for each stream that the response carries. All guests of a share count together. */
    ofCaller: (caller: Caller | Guest, streams: number, response: ServerResponse) =>
      count(
        isGuest(caller) ? `share ${caller.shareId}` : `user ${caller.id}`,
        streams,
        { name: 'streams_user', most: perUser },
        response,
      ),
  };
}
export type StreamLimits = ReturnType<typeof createStreamLimits>;

function overLimit({ name, most }: { name: string; most: number }): AppError {
  return new AppError('rate_limited', {
    detail: `No more than ${most} streams may be open at a time. Close some, or try again shortly.`,
    retryAfterSecs,
    headers: { 'ratelimit-policy': `"${name}";q=${most}`, ratelimit: `"${name}";r=0;t=${retryAfterSecs}` },
  });
}
