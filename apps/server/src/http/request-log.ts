// One log line and one measurement for each request; no line for further calls over a limit, which are counted. The query is left out: it may hold what people typed.

import type { Log } from '@pilothouse/process';
import { type Caller, type Guest, isGuest } from '@pilothouse/store';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Histogram, type Registry } from 'prom-client';
import { endSpan } from './request-span.ts';

/** Returns the same for requests that Fastify refuses before routing, which pass no hook. */
export function logRequests(app: FastifyInstance, log: Log, metrics: Registry) {
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request to the end of its answer, by route of the contract.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [metrics],
  });
  const logRequest = (request: FastifyRequest, reply: FastifyReply) => {
    const status = reply.statusCode;
    durations.observe({ method: request.method, route: patternOf(request), status }, reply.elapsedTime / 1000);
    if (!log.isLevelEnabled('info') || request.isCountedRefusal) return;
    log.info(
      {
        request_id: request.id,
        method: request.method,
        path: request.url.split('?', 1)[0],
        status,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        ...callerFieldsOf(request.caller),
        address: request.ip,
        ...request.span?.logFields(),
      },
      'request',
    );
  };
  app.addHook('onResponse', (request, reply, done) => {
    logRequest(request, reply);
    endSpan(request, reply);
    done();
  });
  return logRequest;
}

/** Who called, for a line of the log. */
export const callerFieldsOf = (caller: Caller | Guest | undefined) =>
  caller && isGuest(caller) ? { share_id: caller.shareId } : { user_id: caller?.id };

/** The pattern, not the path: each id would be a time series of its own. */
const patternOf = (request: FastifyRequest) => request.routeOptions?.url ?? 'none';
