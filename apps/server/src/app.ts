import { randomUUID } from 'node:crypto';
import { announceWork, type Bus } from '@pilothouse/bus';
import { AppError } from '@pilothouse/contract';
import type { Log } from '@pilothouse/process';
import type { Fence, Store, Work } from '@pilothouse/store';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import type { Registry } from 'prom-client';
import { createAuthLimits, type LimitSettings } from './auth/auth.limits.ts';
import { authRoutes } from './auth/auth.routes.ts';
import { createAuthService } from './auth/auth.service.ts';
import { asLocalUser, byToken } from './auth/authenticate.ts';
import { createPasswords } from './auth/passwords.ts';
import { createRevocations } from './auth/revocations.ts';
import { chatRoutes } from './chat/chat.routes.ts';
import { createChatService } from './chat/chat.service.ts';
import type { Planners } from './chat/plan.ts';
import { acceptJsonOnly } from './http/json-body.ts';
import { describeApi } from './http/openapi.ts';
import { answerOddRequests, answerParserError } from './http/parser-errors.ts';
import { sendProblem } from './http/problem.ts';
import { logRequests } from './http/request-log.ts';
import { serialize, serializeChecked } from './http/serialize.ts';
import { createServe } from './http/serve.ts';
import { createStreamPlaces, type StreamSettings } from './http/stream-places.ts';
import { validate } from './http/validate.ts';
import { bundleRoutes } from './live/bundle.routes.ts';
import { createHub } from './live/hub.ts';
import { createSayGone } from './live/say-gone.ts';
import { createViewers } from './live/viewers.ts';
import { createWatchers } from './live/watchers.ts';
import { servePage } from './page/page.routes.ts';
import { serviceRoutes } from './service/service.routes.ts';
import { createCloseService } from './sessions/close.service.ts';
import { sessionCommandRoutes } from './sessions/commands.routes.ts';
import { createDriving } from './sessions/driving.ts';
import { createEndBrowser } from './sessions/end-browser.ts';
import { createOpenSession } from './sessions/open-session.ts';
import { createPointerService } from './sessions/pointer.service.ts';
import { createProfilesService } from './sessions/profiles.service.ts';
import { createQuotas, type QuotaSettings } from './sessions/quotas.ts';
import { recordingRoutes } from './sessions/recording.routes.ts';
import { createRecordingService } from './sessions/recording.service.ts';
import { sessionsRoutes } from './sessions/sessions.routes.ts';
import { createSessionsService } from './sessions/sessions.service.ts';
import { createShareService } from './sessions/share.service.ts';
import { createSnapshots } from './sessions/snapshot.ts';
import { createSessionTakeovers } from './sessions/takeover.service.ts';
import { createLookAfter, createTellDriver } from './sessions/tell-driver.ts';
import { taskCommandRoutes } from './tasks/commands.routes.ts';
import { createTaskCommands } from './tasks/commands.service.ts';
import { createCut } from './tasks/cut.ts';
import { taskReadRoutes } from './tasks/reads.routes.ts';
import { createTaskReadsService } from './tasks/reads.service.ts';
import { createTaskTakeovers } from './tasks/takeover.service.ts';
import { tasksRoutes } from './tasks/tasks.routes.ts';
import { createTasksService } from './tasks/tasks.service.ts';

export type Parts = {
  store: Store;
  bus: Bus;
  work: Work;
  log: Log;
  metrics: Registry;
  version: string;
  isAuthDisabled: boolean;
  /** With authentication disabled, whether requests may come for any name and not only for this machine's own. */
  isOpenToAll?: boolean;
  auth: AuthSettings;
  quotas: QuotaSettings;
  streams: StreamSettings;
  /** Who can make steps of a prompt here; nobody, unless it is said. */
  planners?: Planners;
  /** Told of each browser whose driver was cancelled; its host, unless a test listens instead. */
  onCancelled?: (fence: Fence) => void | Promise<void>;
  /** Off only in tests, which prove that the handlers' own check holds alone. */
  hasRouteHook?: boolean;
  /** In tests every reply is checked against the contract, value by value. */
  checksReplies?: boolean;
};
export type AuthSettings = {
  minPasswordLength: number;
  accessSecs: number;
  limits: LimitSettings;
  /** Peers whose word on the caller's address is taken. */
  trustedProxies: string[];
};

const pingTimeoutMs = 1000;
const drainMs = 5000;

/** The whole HTTP interface, ready to listen. */
export async function createApp({
  store,
  bus,
  work,
  log,
  metrics,
  version,
  isAuthDisabled,
  isOpenToAll = false,
  auth,
  quotas: quotaSettings,
  streams,
  planners = {},
  onCancelled = createCut({ bus, log }),
  hasRouteHook,
  checksReplies = false,
}: Parts) {
  let logRefused: (request: FastifyRequest, reply: FastifyReply) => void = () => {};
  const app = createHttp({ log, trustedProxies: auth.trustedProxies, checksReplies }, (request, reply) =>
    logRefused(request, reply),
  );
  logRefused = logRequests(app, log, metrics);
  await describeApi(app, version);

  const revocations = createRevocations({ store, bus, log });
  const serve = createServe(app, {
    authenticate: isAuthDisabled ? asLocalUser(store, { isOpenToAll }) : byToken(store),
    onStream: revocations.track,
    places: createStreamPlaces(streams),
    hasRouteHook,
  });
  const ping = {
    database: () => store.ping(pingTimeoutMs),
    bus: () => bus.ping({ timeoutMs: pingTimeoutMs }),
  };
  serviceRoutes(serve, { isAuthDisabled, version, ping, openApi: () => ({ openapi: '3.1.0', ...app.swagger() }) });

  const limits = createAuthLimits(store, auth.limits);
  const authService = createAuthService({
    store,
    passwords: createPasswords(),
    limits,
    minPasswordLength: auth.minPasswordLength,
    accessSecs: auth.accessSecs,
    onRevoked: revocations.announceLogin,
  });
  authRoutes(serve, authService, limits);
  const hub = createHub({ store, bus, log, metrics });
  const sayGone = createSayGone(store);
  const watchers = createWatchers({ store, bus, log, onSilent: sayGone });
  const viewers = createViewers({ store, log });
  const snapshotOf = createSnapshots({ store, bus });
  const quotas = createQuotas(store, quotaSettings);
  const openSession = createOpenSession({ store, quotas });
  const sessions = createSessionsService({ store, hub, watchers, viewers, snapshotOf, openSession });
  sessionsRoutes(serve, sessions);
  recordingRoutes(serve, createRecordingService({ store }));
  const closing = createCloseService({
    store,
    work,
    onClosed: createEndBrowser({ store, bus, log }),
    onUnshared: revocations.announceShare,
  });
  const sharing = createShareService({ store, onRevoked: revocations.announceShare });
  const driving = createDriving({
    store,
    work,
    tellDriver: createTellDriver(bus),
    lookAfter: createLookAfter(bus),
  });
  sessionCommandRoutes(serve, {
    closing,
    sharing,
    profiles: createProfilesService({ store, quotas }),
    takeovers: createSessionTakeovers({ store, driving }),
    pointer: createPointerService({ store, bus, onSilent: sayGone }),
  });
  const tasks = createTasksService({ store, hub });
  tasksRoutes(serve, tasks);
  bundleRoutes(serve, { live: sessions.follow, task: tasks.follow });
  taskReadRoutes(serve, createTaskReadsService({ store }));
  const takeovers = createTaskTakeovers({ store, driving });
  const commands = createTaskCommands({ store, work, statusOf: tasks.status, takeovers, onCancelled });
  taskCommandRoutes(serve, commands, takeovers);
  chatRoutes(
    serve,
    createChatService({ store, work, quotas, openSession, planners, onQueued: () => announceWork(bus) }),
  );
  await servePage(app);
  app.addHook('preClose', async () => {
    serve.closeStreams();
    hub.close();
    watchers.close();
    await viewers.close();
    revocations.close();
  });

  await app.ready();
  return app;
}

type HttpParts = { log: Log; trustedProxies: string[]; checksReplies: boolean };

function createHttp(
  { log, trustedProxies, checksReplies }: HttpParts,
  onRefused: (request: FastifyRequest, reply: FastifyReply) => void,
): FastifyInstance {
  const app = Fastify({
    loggerInstance: log,
    genReqId: () => randomUUID(),
    // A child for each request costs time also where nothing is logged: our lines name the request themselves.
    childLoggerFactory: (logger) => logger,
    // The address is the socket's, unless a proxy of ours says whose it forwards.
    trustProxy: trustedProxies.length > 0 ? trustedProxies : false,
    // Our own line a request says more in fewer words.
    logController: new LogController({ disableRequestLogging: true }),
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    // Node answers a request without a Host by itself and without a body; ours do not need it.
    http: { requireHostHeader: false, headersTimeout: 15_000 },
    // Streams are closed on stop and resumed elsewhere; nothing that still gets in is turned away.
    return503OnClosing: false,
    bodyLimit: 64 * 1024,
    clientErrorHandler: answerParserError,
    frameworkErrors: (error, request, reply) => {
      sendProblem(error, request, reply);
      onRefused(request, reply);
    },
    routerOptions: { maxParamLength: 256 },
  }) as unknown as FastifyInstance;
  answerOddRequests(app.server);
  acceptJsonOnly(app);
  app.setValidatorCompiler(validate);
  app.setSerializerCompiler(checksReplies ? serializeChecked : serialize);
  app.setErrorHandler(sendProblem);
  app.setNotFoundHandler((request, reply) => sendProblem({ statusCode: 404 }, request, reply));
  // What is not there is not worth parsing for.
  app.addHook('onRequest', (request, _reply, done) => done(request.is404 ? new AppError('not_found') : undefined));
  // On stop, what is being answered may finish; what has not by then is cut.
  app.addHook('preClose', async () => void setTimeout(() => app.server.closeAllConnections(), drainMs).unref());
  app.addHook('onSend', (request, reply, payload, done) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
    done(null, payload);
  });
  return app;
}
