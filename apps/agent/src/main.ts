import { connectBus } from '@pilothouse/bus';
import { createLog, run, startOps } from '@pilothouse/process';
import { openStore } from '@pilothouse/store';
import { readConfig } from './config.ts';
import { startEngine } from './engine.ts';
import { startKeeper } from './keeper.ts';

run('agent', async () => {
  const config = readConfig(process.env);
  const log = createLog('agent', config.logLevel);
  const store = openStore({
    url: config.database.url,
    poolSize: config.database.poolSize,
    blobDir: config.blobDir,
    onError: (error) => log.warn({ err: error }, 'a database connection broke'),
  });
  const bus = await connectBus({
    servers: config.bus.url,
    user: 'agent',
    password: config.bus.password,
    name: `agent ${config.agentId}`,
    onStatus: (status) => log.info({ bus: status }, 'bus'),
    onProblem: (problem) => log.warn({ bus: problem }, 'a message was dropped'),
  });
  const engine = await startEngine({ url: config.database.url, agentId: config.agentId, log });
  const keeper = await startKeeper({ bus, store, log, hostLeaseMs: config.hostLeaseMs });
  const ops = await startOps({ ...config.ops, isReady: async () => bus.isConnected() && (await store.ping(1000)) });

  return {
    log,
    async close() {
      await ops.close();
      await keeper.close();
      await engine.close();
      await bus.close();
      await store.close();
    },
  };
});
