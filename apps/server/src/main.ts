// The server process: settings, store, bus, HTTP; closed in the opposite order.

import { randomUUID } from 'node:crypto';
import { announceEvent, announceTaskChange, announceWork, connectBus } from '@pilothouse/bus';
import { parseScript } from '@pilothouse/contract';
import {
  busTracing,
  createLog,
  exposeRoundTrips,
  type Log,
  openOrRefuse,
  refusePooler,
  run,
  startOps,
  startTracing,
  warnOfSuperuser,
} from '@pilothouse/process';
import { isPooled, openBlobs, openStore } from '@pilothouse/store';
import { Registry } from 'prom-client';
import packageJson from '../package.json' with { type: 'json' };
import { createApp } from './app.ts';
import { inviteFirst } from './auth/first-invite.ts';
import { readConfig } from './config.ts';
import { evidenceSignersOf } from './evidence/signers.ts';
import { exposeInstallation } from './metrics/installation.ts';
import { createDeparture } from './service/departure.ts';

const daySecs = 86_400;
const pingMs = 1000;

run('server', async () => {
  const config = readConfig(process.argv.slice(2), process.env);
  const log = createLog('server', config.logLevel);
  const tracing = await startTracing(config.tracing, { service: 'pilothouse-server', instance: randomUUID(), log });
  await refusePooler(() => isPooled(config.database.url));
  const store = openStore({
    url: config.database.url,
    poolSize: config.database.poolSize,
    blobs: await openOrRefuse(() => openBlobs(config.blobs)),
    lifetimes: {
      accessSecs: config.auth.accessSecs,
      refreshIdleSecs: config.auth.refreshIdleSecs,
      loginSecs: 30 * daySecs,
    },
    profileKeys: config.profileKeys,
    onError: (error) => log.warn({ err: error }, 'a database connection broke'),
    onChanged: (sessionId, seq, events) => {
      announceTaskChange(bus, sessionId, events);
      announceEvent(bus, sessionId, seq, events);
    },
    onQueued: () => announceWork(bus),
  });
  warnOfSuperuser(store, log);
  warnOfChoices(config, log);
  if (config.isAuthDisabled) await store.users.ensureLocal();
  const bus = await connect(config.bus, log);
  if (!config.isAuthDisabled) await inviteFirst(store, { registration: config.auth.registration, log });
  const metrics = new Registry();
  exposeInstallation({ store, metrics, blobDir: 'dir' in config.blobs ? config.blobs.dir : undefined });
  exposeRoundTrips(metrics, {
    database: () => store.ping(pingMs),
    bus: () => bus.ping({ timeoutMs: pingMs }),
  });
  const departure = createDeparture({ drainMs: config.drainMs, log });
  const app = await createApp({
    store,
    bus,
    log,
    metrics,
    departure,
    version: packageJson.version,
    installation: config.policy,
    isAuthDisabled: config.isAuthDisabled,
    isOpenToAll: config.isOpenToAll,
    auth: config.auth,
    quotas: config.quotas,
    modelLimits: config.modelLimits,
    callLimits: config.callLimits,
    streams: config.streams,
    unsent: config.unsent,
    allowedHosts: config.allowedHosts,
    hasProfileKey: config.profileKeys.length > 0,
    evidenceSigners: evidenceSignersOf(config),
    planners: { parseScript },
    consoleDir: config.consoleDir,
    examples: config.examples,
    callerTraces: config.callerTraces,
  });
  await app.listen({ port: config.port, host: config.host });
  const ops = await startOps({ ...config.ops, metrics, isReady: () => app.server.listening && !departure.isBegun() });

  return {
    log,
    finishWork: departure.begin,
    finishWithinMs: config.drainMs,
    async close() {
      await app.close();
      await ops.close();
      await bus.close();
      await store.close();
      await tracing.close();
    },
  };
});

/** What an operator has to know of how this server was started. */
function warnOfChoices({ isAuthDisabled, profileKeys }: ReturnType<typeof readConfig>, log: Log): void {
  if (isAuthDisabled) log.warn('AUTHENTICATION IS DISABLED: every request acts as the built-in user "local user"');
  if (profileKeys.length > 0) return;
  log.warn(
    'PROFILE_KEY IS NOT SET: saved browser states, which hold cookies, are not sealed, and there are no profiles',
  );
}

function connect({ servers, user, password }: ReturnType<typeof readConfig>['bus'], log: Log) {
  return connectBus({
    servers,
    user,
    password,
    name: user,
    tracing: busTracing(),
    onStatus: (status) => log.info({ bus: status }, 'bus'),
    onProblem: (problem) => log.warn({ bus: problem }, 'a message was dropped'),
  });
}
