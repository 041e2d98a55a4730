// The server process: settings, store, bus, HTTP; closed in the opposite order.

import { announceEvent, announceTaskChange, announceWork, connectBus } from '@pilothouse/bus';
import { parseScript } from '@pilothouse/contract';
import { createLog, refusePooler, run, startOps, warnOfSuperuser } from '@pilothouse/process';
import { isPooled, openStore } from '@pilothouse/store';
import { Registry } from 'prom-client';
import packageJson from '../package.json' with { type: 'json' };
import { createApp } from './app.ts';
import { inviteFirst } from './auth/first-invite.ts';
import { readConfig } from './config.ts';
import { evidenceSignersOf } from './evidence/signers.ts';

const daySecs = 86_400;

run('server', async () => {
  const config = readConfig(process.argv.slice(2), process.env);
  const log = createLog('server', config.logLevel);
  await refusePooler(() => isPooled(config.database.url));
  const store = openStore({
    url: config.database.url,
    poolSize: config.database.poolSize,
    blobDir: config.blobDir,
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
  if (config.isAuthDisabled) {
    log.warn('AUTHENTICATION IS DISABLED: every request acts as the built-in user "local user"');
    await store.users.ensureLocal();
  }
  if (config.profileKeys.length === 0)
    log.warn(
      'PROFILE_KEY IS NOT SET: saved browser states, which hold cookies, are not sealed, and there are no profiles',
    );
  const bus = await connectBus({
    servers: config.bus.url,
    user: config.bus.user,
    password: config.bus.password,
    name: config.bus.user,
    onStatus: (status) => log.info({ bus: status }, 'bus'),
    onProblem: (problem) => log.warn({ bus: problem }, 'a message was dropped'),
  });
  if (!config.isAuthDisabled) await inviteFirst(store, { registration: config.auth.registration, log });
  const metrics = new Registry();
  const app = await createApp({
    store,
    bus,
    log,
    metrics,
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
  });
  await app.listen({ port: config.port, host: config.host });
  const ops = await startOps({ ...config.ops, metrics, isReady: () => app.server.listening });

  return {
    log,
    async close() {
      await app.close();
      await ops.close();
      await bus.close();
      await store.close();
    },
  };
});
