// The whole HTTP interface, ready to listen: the HTTP server, what all rooms share, then each room with its routes.

import { announceSilence, type Bus } from '@pilothouse/bus';
import type { ExampleTask, Policy } from '@pilothouse/contract';
import type { EvidenceSigner } from '@pilothouse/evidence';
import { type BrowserHold, createHostClient, reunionMs } from '@pilothouse/fleet';
import { cached, type Log } from '@pilothouse/process';
import type { ModelLimits, Store } from '@pilothouse/store';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { mountAdmin } from './admin/mount.ts';
import { asLocalUser, byToken } from './auth/authenticate.ts';
import { type AuthSettings, mountAuth } from './auth/mount.ts';
import { createRevocations } from './auth/revocations.ts';
import { mountCdp } from './cdp/mount.ts';
import { mountChat } from './chat/mount.ts';
import { type ParseScript, plannersOf } from './chat/plan.ts';
import { serveConsole } from './console/console.routes.ts';
import { createUnsent, type UnsentSettings } from './delivery/unsent.ts';
import { evidenceRoutes } from './evidence/evidence.routes.ts';
import { createEvidenceService } from './evidence/evidence.service.ts';
import { type CallLimitSettings, createCallLimits } from './http/call-limits.ts';
import { createHttp } from './http/create-http.ts';
import { describeApi } from './http/openapi.ts';
import { serveReferencePage } from './http/reference-page.ts';
import { createOriginCheck } from './http/request-origin.ts';
import type { CallerTraces } from './http/request-span.ts';
import { createServe, type Serve } from './http/serve.ts';
import { bundleRoutes } from './live/bundle.routes.ts';
import { createLive } from './live/live.ts';
import { mountMcp } from './mcp/mount.ts';
import { recordingRoutes } from './recordings/recordings.routes.ts';
import { createRecordingService } from './recordings/recordings.service.ts';
import { secretsRoutes } from './secrets/secrets.routes.ts';
import { createSecretsService } from './secrets/secrets.service.ts';
import { type Departure, stopListening } from './service/departure.ts';
import { serviceRoutes } from './service/service.routes.ts';
import { capabilityRoutes } from './sessions/capabilities.routes.ts';
import { mountSessions } from './sessions/mount.ts';
import { createOpenSession } from './sessions/open-session.ts';
import { createQuotas, type QuotaSettings } from './sessions/quotas.ts';
import { countStreams } from './sse/stream-count.ts';
import { createStreamLimits, type StreamSettings } from './sse/stream-limits.ts';
import { createCutHost } from './takeover/cut-host.ts';
import { createInputCount } from './takeover/input-count.ts';
import { mountTakeover } from './takeover/mount.ts';
import type { OnCancelled } from './tasks/commands.service.ts';
import { mountTasks } from './tasks/mount.ts';

export type Options = {
  store: Store;
  bus: Bus;
  log: Log;
  metrics: Registry;
  version: string;
  isAuthDisabled: boolean;
  /** With authentication disabled, whether requests may come for any name and not only for this machine's own. */
  isOpenToAll?: boolean;
  auth: AuthSettings & {
    /** Proxies that are believed about the address of a caller. */
    trustedProxies: string[];
  };
  /** What the installation demands of every task; nothing more than usual by default. */
  installation?: Policy;
  quotas: QuotaSettings;
  /** What models may use for one person in a day; no limit by default. */
  modelLimits?: ModelLimits;
  /** Tasks that the console offers to try; none by default. */
  examples?: ExampleTask[];
  streams: StreamSettings;
  callLimits: CallLimitSettings;
  unsent: UnsentSettings;
  /** The names that the server answers to; any by default. */
  allowedHosts?: string[];
  /** What it does when it is told to end; at once by default. */
  departure?: Pick<Departure, 'isBegun'>;
  /** Whether saved browser states are sealed. */
  hasProfileKey: boolean;
  /** What signs evidence, the one in use first; without any, there is none. */
  evidenceSigners?: readonly EvidenceSigner[];
  /** Where the built console lies; without it, the server has none. */
  consoleDir?: string;
  /** What can make steps of a prompt; nothing by default. */
  /** Without `models`, those that agents say they may ask. */
  planners?: { parseScript?: ParseScript; models?: () => Promise<string[]> };
  /** Called for each browser whose driver was cancelled; tells its host, unless a test listens instead. */
  onCancelled?: OnCancelled;
  /** Off only in tests, which prove that the handlers' own check is enough. */
  hasRouteHook?: boolean;
  /** What becomes of the traces that callers name; nothing by default. */
  callerTraces?: CallerTraces;
  /** In tests every reply is checked against the contract, value by value. */
  checksReplies?: boolean;
};

const pingTimeoutMs = 1000;
/** Agents come and go: how long their models are believed in. */
const modelsMs = 1000;

export async function createApp(options: Options) {
  const { store, bus, log, metrics, version, isAuthDisabled, hasProfileKey, installation = {} } = options;
  const unsent = createUnsent({ ...options.unsent, log, metrics });
  const { isOpenToAll = false, allowedHosts = [], checksReplies = false } = options;
  const checkOrigin = createOriginCheck({ isAuthDisabled, isOpenToAll, allowedHosts });
  const isLeaving = options.departure?.isBegun ?? (() => false);
  const { trustedProxies } = options.auth;
  const app = createHttp({ log, metrics, trustedProxies, checksReplies, unsent, checkOrigin, isLeaving });
  await describeApi(app, version);
  serveReferencePage(app);

  const revocations = createRevocations({ store, bus, log });
  const callLimits = createCallLimits({ store, settings: options.callLimits, log });
  const streamLimits = createStreamLimits(options.streams);
  const authenticate = isAuthDisabled ? asLocalUser(store) : byToken(store);
  const serve = createServe(app, {
    authenticate,
    onStream: countStreams(metrics, revocations.track),
    onStreamed: revocations.track,
    streamLimits,
    unsent,
    callLimits,
    hasRouteHook: options.hasRouteHook,
    callerTraces: options.callerTraces,
  });
  const hosts = createHostClient(bus);
  // An agent decides whether the host is gone: it may reach a host that this server does not reach.
  const onSilent = async ({ sessionId, hostId, epoch }: BrowserHold) => {
    if (bus.steadyForMs() > reunionMs) await announceSilence(bus, { session_id: sessionId, host_id: hostId, epoch });
  };
  const live = createLive({ store, bus, hosts, log, metrics, onSilent });
  const quotas = createQuotas(store, options.quotas, options.modelLimits);
  const openSession = createOpenSession({ store, quotas });

  mountService(serve, app, { ...options, isLeaving });
  const { parseScript } = options.planners ?? {};
  const findModels = options.planners?.models ?? cached(() => store.agents.models(), modelsMs);
  const findPlanners = async () => ({ parseScript, models: await findModels() });
  capabilityRoutes(serve, {
    ...{ store, isAuthDisabled, hasProfileKey, quotas: options.quotas, callLimits: options.callLimits },
    auth: options.auth,
    findPlanners: async () => {
      const planners = await findPlanners();
      return { planners: plannersOf(planners), models: planners.models };
    },
    ...{ streamsPerUser: options.streams.perUser, modelLimits: options.modelLimits, examples: options.examples },
  });
  mountAuth(serve, { store, settings: options.auth, onRevoked: revocations.announceLogin });
  mountAdmin(serve, { store, onRevoked: revocations.announceLogin });
  const { announceShare: onShareRevoked, track } = revocations;
  const lastInputSeqOf = createInputCount({ store, hosts });
  const sessionParts = { store, hosts, log, quotas, openSession, ...live, lastInputSeqOf, onShareRevoked };
  const followSession = mountSessions(serve, sessionParts);
  mountKept(serve, store, options.evidenceSigners);
  const takeovers = mountTakeover(serve, { store, hosts, lastInputSeqOf, onSilent });
  const onCancelled = options.onCancelled ?? createCutHost({ hosts, log });
  const follows = mountTasks(serve, { store, ...live, takeovers, onCancelled, installation });
  bundleRoutes(serve, { live: followSession, ...follows });
  mountChat(serve, { store, bus, quotas, openSession, findPlanners });
  const { events } = live;
  const shared = { app, hosts, authenticate, checkOrigin, track, events, streamLimits, unsent, limits: callLimits };
  const closeProtocols = mountProtocols(serve, { ...options, ...shared });
  await serveConsole(app, { folder: options.consoleDir, log });

  app.addHook('preClose', async () => {
    // First: a client whose stream ends must connect to another server.
    const { ended } = await stopListening(app.server);
    serve.closeStreams();
    await closeProtocols();
    await live.close();
    revocations.close();
    await ended;
  });
  closeLast(app, [unsent, callLimits]);
  await app.ready();
  return app;
}

/** Health and the documents of the interface. */
function mountService(serve: Serve, app: FastifyInstance, options: Options & { isLeaving: () => boolean }): void {
  const { store, bus, version, isAuthDisabled, hasProfileKey, isLeaving } = options;
  serviceRoutes(serve, {
    isAuthDisabled,
    hasProfileKey,
    version,
    isLeaving,
    ping: {
      database: () => store.ping(pingTimeoutMs),
      bus: () => bus.ping({ timeoutMs: pingTimeoutMs }),
    },
    openApi: () => ({ openapi: '3.1.0', ...app.swagger() }),
  });
}

/** Other protocols than our own, for programs. Returns what ends them. */
function mountProtocols(serve: Serve, options: Parameters<typeof mountMcp>[1] & Parameters<typeof mountCdp>[1]) {
  const mcp = mountMcp(serve, options);
  const cdp = mountCdp(serve, options);
  return async (): Promise<void> => {
    await Promise.all([cdp.close(), mcp.close()]);
  };
}

/** What users keep beside sessions and tasks. */
function mountKept(serve: Serve, store: Store, signers: readonly EvidenceSigner[] = []): void {
  secretsRoutes(serve, createSecretsService({ store }));
  recordingRoutes(serve, createRecordingService({ store }));
  evidenceRoutes(serve, createEvidenceService({ store, signers }));
}

/** What answers under way still need. */
function closeLast(app: FastifyInstance, parts: { close(): void }[]): void {
  app.addHook('onClose', async () => {
    for (const part of parts) part.close();
  });
}
