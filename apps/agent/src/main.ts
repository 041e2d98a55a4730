import { announceEvent, connectBus } from '@pilothouse/bus';
import { createLog, run, startOps } from '@pilothouse/process';
import { openStore } from '@pilothouse/store';
import { readConfig } from './config.ts';
import { startEngine } from './engine.ts';
import { createHands } from './hands.ts';
import { startKeeper } from './keeper.ts';
import { createRecord } from './record.ts';
import { startRecovery } from './recovery.ts';
import { registerTaskWorkflow } from './task.workflow.ts';
import { createRun } from './tick.ts';

run('agent', async () => {
  const config = readConfig(process.env);
  const log = createLog('agent', config.logLevel);
  const store = openStore({
    url: config.database.url,
    poolSize: config.database.poolSize,
    blobDir: config.blobDir,
    onError: (error) => log.warn({ err: error }, 'a database connection broke'),
    onChanged: (sessionId, seq) => announceEvent(bus, sessionId, seq),
  });
  const bus = await connectBus({
    servers: config.bus.url,
    user: 'agent',
    password: config.bus.password,
    name: `agent ${config.agentId}`,
    onStatus: (status) => log.info({ bus: status }, 'bus'),
    onProblem: (problem) => log.warn({ bus: problem }, 'a message was dropped'),
  });
  const keeper = await startKeeper({ bus, store, log, hostLeaseMs: config.hostLeaseMs });

  const hands = createHands({ store, bus, log });
  const record = createRecord({ store });
  const stopping = new AbortController();
  const parts = { store, hands, record, agentId: config.agentId, log, signal: stopping.signal };
  registerTaskWorkflow((taskId) => createRun(parts, taskId));
  const engine = await startEngine({
    url: config.database.url,
    agentId: config.agentId,
    pollMs: config.enginePollMs,
    log,
  });
  const recovery = await startRecovery({ store, engine, agentId: config.agentId, log });
  const ops = await startOps({ ...config.ops, isReady: async () => bus.isConnected() && (await store.ping(1000)) });

  return {
    log,
    async close() {
      await ops.close();
      stopping.abort();
      await recovery.close();
      await engine.close();
      await keeper.close();
      await bus.close();
      await store.close();
    },
  };
});
