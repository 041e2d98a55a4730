import { announceEvent, connectBus } from '@pilothouse/bus';
import { parseScript } from '@pilothouse/contract';
import { createLog, run, startOps } from '@pilothouse/process';
import { openStore, openWork } from '@pilothouse/store';
import { Registry } from 'prom-client';
import packageJson from '../package.json' with { type: 'json' };
import { createApp } from './app.ts';
import { readConfig } from './config.ts';

const daySecs = 86_400;

run('server', async () => {
  const config = readConfig(process.argv.slice(2), process.env);
  const log = createLog('server', config.logLevel);
  const store = openStore({
    url: config.database.url,
    poolSize: config.database.poolSize,
    blobDir: config.blobDir,
    lifetimes: { accessSecs: config.auth.accessSecs, refreshIdleSecs: 14 * daySecs, loginSecs: 30 * daySecs },
    profileKeys: config.profileKeys,
    onError: (error) => log.warn({ err: error }, 'a database connection broke'),
    onChanged: (sessionId, seq, events) => announceEvent(bus, sessionId, seq, events),
  });
  if (config.isAuthDisabled) {
    log.warn('AUTHENTICATION IS DISABLED: every request acts as the built-in user "local user"');
    await store.users.ensureLocal();
  }
  const bus = await connectBus({
    servers: config.bus.url,
    user: 'server',
    password: config.bus.password,
    name: 'server',
    onStatus: (status) => log.info({ bus: status }, 'bus'),
    onProblem: (problem) => log.warn({ bus: problem }, 'a message was dropped'),
  });
  const work = await openWork({
    url: config.database.url,
    onLog: (level, message) => log[level]({ engine: message }, 'engine'),
  });
  const metrics = new Registry();
  const app = await createApp({
    store,
    bus,
    work,
    log,
    metrics,
    version: packageJson.version,
    isAuthDisabled: config.isAuthDisabled,
    isOpenToAll: config.isOpenToAll,
    auth: config.auth,
    quotas: config.quotas,
    streams: config.streams,
    planners: { parseScript },
  });
  await app.listen({ port: config.port, host: config.host });
  const ops = await startOps({ ...config.ops, metrics, isReady: () => app.server.listening });

  return {
    log,
    async close() {
      await app.close();
      await ops.close();
      await work.close();
      await bus.close();
      await store.close();
    },
  };
});
