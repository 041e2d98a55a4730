// Answers of unknown length that are made while their peer reads them. An answer that cannot be finished is cut, so that
// no reader takes it for a whole one.

import { Readable } from 'node:stream';
import type { Caller, Guest } from '@pilothouse/store';
import type { FastifyReply } from 'fastify';
import type { CountedAnswer } from '../delivery/counted-answer.ts';
import type { EventStream } from '../sse/event-stream.ts';
import type { StreamLimits } from '../sse/stream-limits.ts';

/** Makes its pieces one after the other, as fast as the peer takes them, until the signal ends. */
export class StreamedAnswer {
  readonly make: (signal: AbortSignal) => AsyncIterable<Uint8Array>;
  readonly contentType: string;
  readonly headers: Record<string, string>;
  constructor(
    make: (signal: AbortSignal) => AsyncIterable<Uint8Array>,
    contentType: string,
    headers: Record<string, string> = {},
  ) {
    this.make = make;
    this.contentType = contentType;
    this.headers = headers;
  }
}

/** Ends what its caller gets with the right of the caller. */
export type TrackAnswer = (caller: Caller | Guest | undefined, tracked: Pick<EventStream, 'onEnd' | 'close'>) => void;
type Exchange = { reply: FastifyReply; counted: CountedAnswer };

/** A peer that takes nothing is cut much earlier; this is for one that takes a little now and then. */
const maxMs = 15 * 60_000;
/** What one of them may hold: the largest piece that is made at once. */
const heldBytes = 4 * 1024 * 1024;
const sliceBytes = 48 * 1024;

/** Each counts as a stream of its caller and address. */
export function createStreamedAnswers(limits: StreamLimits, track: TrackAnswer) {
  const open = new Set<AbortController>();

  return {
    send({ make, contentType, headers }: StreamedAnswer, { reply, counted }: Exchange) {
      const { request, raw } = reply;
      reply.code(200).headers(headers).type(contentType);
      // Asked for its headers alone, nothing is made.
      if (request.method === 'HEAD') return reply.send();
      limits.ofAddress(request.ip, raw);
      if (request.caller) limits.ofCaller(request.caller, 1, raw);
      counted.hold(heldBytes);
      const [stop, left] = [new AbortController(), new AbortController()];
      open.add(stop);
      raw.once('close', () => {
        open.delete(stop);
        left.abort(new Error('the peer has left'));
      });
      track(request.caller, {
        onEnd: (listener) => void raw.once('close', listener),
        close: () => stop.abort(new Error('the right of the caller has ended')),
      });
      const over = AbortSignal.any([stop.signal, AbortSignal.timeout(maxMs)]);
      const pieces = sliced(make(AbortSignal.any([over, left.signal])));
      // Also while the peer takes nothing, and so no piece is asked for.
      return reply.send(Readable.from(pieces, { objectMode: false, highWaterMark: sliceBytes, signal: over }));
    },

    /** Cuts those that are on their way: the server stops. */
    close(): void {
      for (const stop of open) stop.abort(new Error('the server stops'));
    },
  };
}

/** Small, so that little waits in the queue of the connection; nothing is copied. */
async function* sliced(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces)
    for (let at = 0; at < piece.length; at += sliceBytes) yield piece.subarray(at, at + sliceBytes);
}
