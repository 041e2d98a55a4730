import { announceEvent, connectBus, queues, workQueued } from '@pilothouse/bus';
import { createLog, run, startOps } from '@pilothouse/process';
import { openStore, openWork } from '@pilothouse/store';
import { Gauge } from 'prom-client';
import { readConfig } from './config.ts';
import { startEngine } from './engine.ts';
import { createFiles } from './files.ts';
import { createHands } from './hands.ts';
import { startKeeper } from './keeper.ts';
import { startNet } from './net.ts';
import { startParking } from './parking.ts';
import { createRecord } from './record.ts';
import { startRecorder } from './recorder.ts';
import { showPresence, startRecovery } from './recovery.ts';
import { startRetention } from './retention.ts';
import { startSweep } from './sweep.ts';
import { registerTaskWorkflow } from './task.workflow.ts';
import { createRun } from './tick.ts';
import { startWheel } from './wheel.ts';

run('agent', async () => {
  const config = readConfig(process.env);
  const log = createLog('agent', config.logLevel);
  const store = openStore({
    url: config.database.url,
    name: `pilothouse agent ${config.agentId}`,
    poolSize: config.database.poolSize,
    blobDir: config.blobDir,
    profileKeys: config.profileKeys,
    onError: (error) => log.warn({ err: error }, 'a database connection broke'),
    onChanged: (sessionId, seq, events) => announceEvent(bus, sessionId, seq, events),
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
  const parking = startParking({
    bus,
    store,
    log,
    idleMs: config.browserIdleMs,
    waitMs: config.questions.parkMs,
  });

  const hands = createHands({ store, bus, log });
  const record = createRecord({ store, questionSecs: config.questions.expireSecs });
  const stopping = new AbortController();
  const files = createFiles({ store, bus });
  const parts = { store, hands, record, files, agentId: config.agentId, log, signal: stopping.signal };
  registerTaskWorkflow((taskId) => createRun(parts, taskId));
  const { agentId, leaseMs } = config;
  const presence = await showPresence({ store, agentId, leaseMs, log });
  const engine = await startEngine({
    url: config.database.url,
    agentId,
    pollMs: config.enginePollMs,
    log,
  });
  const work = await openWork({
    url: config.database.url,
    onLog: (level, message) => log[level]({ engine: message }, 'engine'),
  });
  const wakeups = bus.subscribe(workQueued, {}, engine.look, { queue: queues.work });
  const sweep = startSweep({ store, hands, record, work, log });
  const wheel = startWheel({ store, hands, work, log });
  const recorder = startRecorder({ store, bus, agentId, log });
  const retention = startRetention({ store, log, ...config.recording });
  const recovery = startRecovery({ store, engine, agentId, leaseMs, log });
  const ops = await startOps({ ...config.ops, isReady: async () => bus.isConnected() && (await store.ping(1000)) });
  // By this whoever looks at executions finds the process.
  new Gauge({
    name: 'pilothouse_agent_info',
    help: 'Which agent this is; always 1.',
    labelNames: ['agent_id'],
    registers: [ops.metrics],
  }).set({ agent_id: agentId }, 1);
  const net = startNet({ store, work, engine, log, metrics: ops.metrics });

  return {
    log,
    async close() {
      await ops.close();
      wakeups.close();
      stopping.abort();
      await recovery.close();
      await net.close();
      await sweep.close();
      await wheel.close();
      await recorder.close();
      await retention.close();
      await engine.close();
      await presence.close();
      await work.close();
      await parking.close();
      await keeper.close();
      await bus.close();
      await store.close();
    },
  };
});
