// The span of a request that changes something, from its arrival to the end of its answer. It says nothing of what was asked but its
// route. Reads, streams and input of people have none: they cause nothing, and there are too many of them.

import type { Route } from '@pilothouse/contract';
import { type OpenSpan, openSpan } from '@pilothouse/process';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * What becomes of the trace that a caller names: it is not read, it is linked, or the request is a part of it. Callers are strangers:
 * one whose trace is taken over decides what is kept, and what our spans lie beside.
 */
export type CallerTraces = 'ignore' | 'link' | 'parent';

export function spanOfRequest(
  request: FastifyRequest,
  { method, path }: Pick<Route, 'method'> & { path: string },
  callerTraces: CallerTraces = 'ignore',
): OpenSpan | undefined {
  const named = request.headers.traceparent;
  const header = typeof named === 'string' ? named : undefined;
  const origin = callerTraces === 'ignore' ? {} : { [callerTraces]: header };
  return openSpan('http.request', { method, route: path, request_id: request.id }, origin);
}

export const withinSpan = <T>({ span }: FastifyRequest, work: () => T): T => (span ? span.within(work) : work());

export function endSpan({ span }: FastifyRequest, { statusCode }: FastifyReply): void {
  if (!span) return;
  span.note({ status: statusCode });
  if (statusCode >= 500) span.fail(String(statusCode));
  span.end();
}

declare module 'fastify' {
  interface FastifyRequest {
    span?: OpenSpan;
  }
}
