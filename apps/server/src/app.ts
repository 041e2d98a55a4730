import type { Log } from '@pilothouse/process';
import { newId, type Store } from '@pilothouse/store';
import Fastify, { type FastifyInstance, LogController } from 'fastify';
import { serializerCompiler } from 'fastify-type-provider-zod';
import type { Registry } from 'prom-client';
import { asLocalUser, byToken } from './auth/authenticate.ts';
import { acceptJsonOnly } from './http/json-body.ts';
import { describeApi } from './http/openapi.ts';
import { answerOddRequests, answerParserError } from './http/parser-errors.ts';
import { sendProblem } from './http/problem.ts';
import { logRequests } from './http/request-log.ts';
import { createServe } from './http/serve.ts';
import { validate } from './http/validate.ts';
import { serviceRoutes } from './service/service.routes.ts';
import { sessionsRoutes } from './sessions/sessions.routes.ts';
import { createSessionsService } from './sessions/sessions.service.ts';

export type Parts = {
  store: Store;
  bus: { ping(options: { timeoutMs: number }): Promise<boolean> };
  log: Log;
  metrics: Registry;
  version: string;
  isAuthDisabled: boolean;
  /** With authentication disabled, whether requests may come for any name and not only for this machine's own. */
  isOpenToAll?: boolean;
};

const pingTimeoutMs = 1000;
const drainMs = 5000;

/** The whole HTTP interface, ready to listen. */
export async function createApp({ store, bus, log, metrics, version, isAuthDisabled, isOpenToAll = false }: Parts) {
  const app = createHttp(log);
  logRequests(app, metrics);
  await describeApi(app, version);

  const serve = createServe(app, isAuthDisabled ? asLocalUser({ isOpenToAll }) : byToken);
  const ping = {
    database: () => store.ping(pingTimeoutMs),
    bus: () => bus.ping({ timeoutMs: pingTimeoutMs }),
  };
  serviceRoutes(serve, { isAuthDisabled, version, ping, openApi: () => ({ openapi: '3.1.0', ...app.swagger() }) });
  sessionsRoutes(serve, createSessionsService({ store }));

  await app.ready();
  return app;
}

function createHttp(log: Log): FastifyInstance {
  const app = Fastify({
    loggerInstance: log,
    genReqId: newId,
    // Our own line a request says more in fewer words.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    // Node answers a request without a Host by itself and without a body; ours do not need it.
    http: { requireHostHeader: false, headersTimeout: 15_000 },
    // Streams are closed on stop and resumed elsewhere; nothing that still gets in is turned away.
    return503OnClosing: false,
    bodyLimit: 64 * 1024,
    clientErrorHandler: answerParserError,
    frameworkErrors: (error, request, reply) => void sendProblem(error, request, reply),
    routerOptions: { maxParamLength: 256 },
  }) as unknown as FastifyInstance;
  answerOddRequests(app.server);
  acceptJsonOnly(app);
  app.setValidatorCompiler(validate);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(sendProblem);
  app.setNotFoundHandler((request, reply) => sendProblem({ statusCode: 404 }, request, reply));
  // On stop, what is being answered may finish; what has not by then is cut.
  app.addHook('preClose', async () => void setTimeout(() => app.server.closeAllConnections(), drainMs).unref());
  app.addHook('onSend', async (request, reply) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
  });
  return app;
}
