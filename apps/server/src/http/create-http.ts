// The HTTP server without its routes: what holds for every request and every answer.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { AppError, errors } from '@pilothouse/contract';
import type { Log } from '@pilothouse/process';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { Counter, type Registry } from 'prom-client';
import { refusalOf } from '../delivery/counted-answer.ts';
import { standardHeaders } from '../delivery/standard-headers.ts';
import type { Unsent } from '../delivery/unsent.ts';
import { acceptJsonOnly } from './json-body.ts';
import { answerOddRequests, answerParserError } from './parser-errors.ts';
import { sendProblem, toAppError } from './problem.ts';
import { logRequests } from './request-log.ts';
import { serialize, serializeChecked } from './serialize.ts';
import { validate } from './validate.ts';

type Options = {
  log: Log;
  metrics: Registry;
  trustedProxies: string[];
  checksReplies: boolean;
  unsent: Unsent;
  /** Returns why a request is refused, whatever it asks for. */
  checkOrigin: (request: FastifyRequest) => AppError | undefined;
  /** Whether it was told to end: then no connection is kept for another request. */
  isLeaving: () => boolean;
};

/** On stop, answers under way may finish within this time; then their connections are cut. */
const drainMs = 5000;

export function createHttp({ log, metrics, trustedProxies, checksReplies, unsent, checkOrigin, isLeaving }: Options) {
  let logRefused: (request: FastifyRequest, reply: FastifyReply) => void = () => {};
  const app = openFastify(log, trustedProxies, (request, reply) => logRefused(request, reply));
  answerOddRequests(app.server);
  unsent.follow(app.server);
  acceptJsonOnly(app);
  app.setValidatorCompiler(validate);
  app.setSerializerCompiler(checksReplies ? serializeChecked : serialize);
  const refuse = countingProblems(metrics);
  app.setErrorHandler(refuse);
  app.setNotFoundHandler((request, reply) => refuse({ statusCode: 404 }, request, reply));
  // Before the body is parsed.
  app.addHook('onRequest', (request, _reply, done) => done(request.is404 ? new AppError('not_found') : undefined));
  app.addHook('onRequest', (request, _reply, done) => done(checkOrigin(request)));
  app.addHook('preClose', async () => void setTimeout(() => app.server.closeAllConnections(), drainMs).unref());
  app.addHook('onSend', (request, reply, payload, done) => {
    if (isLeaving()) reply.header('connection', 'close');
    reply.header('x-request-id', request.id).headers(standardHeaders);
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
    const isWhole = typeof payload === 'string' || payload instanceof Uint8Array;
    const refusal = isWhole && refusalOf(unsent.of(reply.raw, request), payload.length);
    if (refusal) done(refusal);
    else done(null, payload);
  });
  logRefused = logRequests(app, log, metrics);
  return app;
}

/** The reason is a code of the contract, so there are as many as it has. */
function countingProblems(metrics: Registry): typeof sendProblem {
  const refusals = new Counter({
    name: 'pilothouse_refusals_total',
    help: 'Calls that were refused or failed, by the code of the answer.',
    labelNames: ['code'],
    registers: [metrics],
  });
  for (const code of Object.keys(errors)) refusals.inc({ code }, 0);
  return (error, request, reply) => {
    refusals.inc({ code: toAppError(error).code });
    return sendProblem(error, request, reply);
  };
}

/** Any other request that offers another protocol is answered as it is: some programs offer HTTP/2 with each. */
const isSocket = ({ headers, url }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket' && /^\/cdp\//.test(url ?? '');

function openFastify(
  log: Log,
  trustedProxies: string[],
  onRefused: (request: FastifyRequest, reply: FastifyReply) => void,
): FastifyInstance {
  return Fastify({
    loggerInstance: log,
    genReqId: () => randomUUID(),
    // A child logger for each request costs time, also if nothing is logged: our lines name the request themselves.
    childLoggerFactory: (logger) => logger,
    // The address is that of the socket, unless a trusted proxy names another.
    trustProxy: trustedProxies.length > 0 ? trustedProxies : false,
    // We log one line of our own for each request.
    logController: new LogController({ disableRequestLogging: true }),
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    // Node would answer a request without a Host by itself and without a body; our routes do not need one. By default
    // Node looks for late requests only every 30 seconds.
    http: {
      shouldUpgradeCallback: isSocket,
      requireHostHeader: false,
      headersTimeout: 15_000,
      connectionsCheckingInterval: 2000,
    },
    // On stop, streams are closed and resumed elsewhere; requests that still arrive are answered.
    return503OnClosing: false,
    bodyLimit: 64 * 1024,
    clientErrorHandler: answerParserError,
    frameworkErrors: (error, request, reply) => {
      sendProblem(error, request, reply);
      onRefused(request, reply);
    },
    routerOptions: { maxParamLength: 256 },
  }) as unknown as FastifyInstance;
}
