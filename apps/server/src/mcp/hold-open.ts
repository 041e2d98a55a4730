// A call that waits holds a connection as a stream does: it counts as one of its caller and address, and ends when the login or
// key of the caller ends.

import type { Caller, Guest } from '@pilothouse/store';
import type { FastifyReply } from 'fastify';
import type { Exchange } from '../http/inner-calls.ts';
import type { EventStream } from '../sse/event-stream.ts';
import type { StreamLimits } from '../sse/stream-limits.ts';
import { callerOf } from './caller.ts';

/** Calls `close` when the caller's right ends, until `onEnd` was called back. */
export type Track = (caller: Caller | Guest, stream: Pick<EventStream, 'onEnd' | 'close'>) => void;

export function createHoldOpen({ streamLimits, track }: { streamLimits: StreamLimits; track: Track }) {
  // Counted until the answer is over, however often the call waits.
  const counted = new WeakSet<FastifyReply>();

  return (exchange: Exchange, onRevoked: () => void): { release(): void } => {
    const { request, reply } = exchange;
    const caller = callerOf(exchange);
    if (!counted.has(reply)) {
      streamLimits.ofAddress(request.ip, reply.raw);
      streamLimits.ofCaller(caller, 1, reply.raw);
      counted.add(reply);
    }
    const onEnds: (() => void)[] = [];
    track(caller, { onEnd: (onEnd) => void onEnds.push(onEnd), close: onRevoked });
    return {
      release() {
        for (const onEnd of onEnds) onEnd();
      },
    };
  };
}
