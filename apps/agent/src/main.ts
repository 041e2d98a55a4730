// The agent process: runs tasks, stores what hosts report, and runs the background jobs.

import { announceEvent, connectBus, queues, workQueued } from '@pilothouse/bus';
import { createLog, type Log, run, startOps, warnOfSuperuser } from '@pilothouse/process';
import { openStore, openWork } from '@pilothouse/store';
import { Gauge, Registry } from 'prom-client';
import { startRecovery } from './background/dead-agents.ts';
import { startHousekeeping } from './background/housekeeping.ts';
import { startIdleBrowsers } from './background/idle-browsers.ts';
import { startRetention } from './background/old-recordings.ts';
import { showPresence } from './background/presence.ts';
import { startStuckTasks } from './background/stuck-tasks.ts';
import { startTakeovers } from './background/takeovers.ts';
import { startWaitingTasks } from './background/waiting-tasks.ts';
import { createBrowsers } from './browsers/browsers.ts';
import { readConfig } from './config.ts';
import { startEngine } from './engine/engine.ts';
import { registerTaskWorkflow } from './engine/task.workflow.ts';
import { startHostReports } from './host-events/host-reports.ts';
import { startRecorder } from './host-events/recorder.ts';
import { createLedger } from './ledger/ledger.ts';
import { createFiles } from './task/files.ts';
import { createRun } from './task/run.ts';

type Config = ReturnType<typeof readConfig>;

// Everything that starts goes onto the stack and is closed in reverse order. A failed start ends the process and closes
// nothing.
run('agent', async () => {
  const config = readConfig(process.env);
  const { agentId, leaseMs } = config;
  const log = createLog('agent', config.logLevel);
  const stack = new AsyncDisposableStack();
  const closing = <T extends { close(): unknown }>(part: T): T =>
    stack.adopt(part, async () => void (await part.close()));

  const { store, bus } = await connect(config, log, closing);
  const { hostLeaseMs, hostMaxSessions } = config;
  closing(await startHostReports({ bus, store, log, hostLeaseMs, hostMaxSessions }));
  closing(startHousekeeping({ store, log }));
  closing(startIdleBrowsers({ bus, store, log, idleMs: config.browserIdleMs, waitMs: config.questions.parkMs }));

  const browsers = createBrowsers({ store, bus, log });
  const bytesPerUser = config.files.maxBytesPerUser;
  const ledger = createLedger({ store, questionSecs: config.questions.expireSecs, fileBytesPerUser: bytesPerUser });
  const files = createFiles({ store, bus, bytesPerUser });
  const stopping = new AbortController();
  const parts = { store, browsers, ledger, files, agentId, log, signal: stopping.signal };
  registerTaskWorkflow((taskId) => createRun(parts, taskId));

  const { url } = config.database;
  const onLog = (level: 'debug' | 'warn' | 'error', message: unknown) => log[level]({ engine: message }, 'engine');
  const work = closing(await openWork({ url, onLog }));
  closing(await showPresence({ store, agentId, leaseMs, log }));
  const engine = closing(await startEngine({ url, agentId, pollMs: config.enginePollMs, log }));

  const metrics = new Registry();
  closing(startWaitingTasks({ store, browsers, ledger, work, log }));
  closing(startTakeovers({ store, browsers, work, log }));
  closing(startRetention({ store, log, ...config.recording, filesKeepDays: config.files.keepDays }));
  closing(startRecorder({ store, bus, agentId, log }));
  closing(startStuckTasks({ store, work, engine, log, metrics }));
  closing(startRecovery({ store, engine, agentId, leaseMs, log }));

  // Last, so closed first: no new work is taken, and running tasks stop before anything else closes.
  stack.defer(() => stopping.abort());
  closing(bus.subscribe(workQueued, {}, engine.look, { queue: queues.work }));
  exposeAgentId(agentId, metrics);
  const isReady = async () => bus.isConnected() && (await store.ping(1000));
  closing(await startOps({ ...config.ops, metrics, isReady }));
  return { log, close: () => stack.disposeAsync() };
});

async function connect(config: Config, log: Log, closing: <T extends { close(): unknown }>(part: T) => T) {
  const { agentId } = config;
  const bus = closing(
    await connectBus({
      servers: config.bus.url,
      user: config.bus.user,
      password: config.bus.password,
      name: `agent ${agentId}`,
      onStatus: (status) => log.info({ bus: status }, 'bus'),
      onProblem: (problem) => log.warn({ bus: problem }, 'a message was dropped'),
    }),
  );
  const store = closing(
    openStore({
      url: config.database.url,
      name: `pilothouse agent ${agentId}`,
      poolSize: config.database.poolSize,
      blobDir: config.blobDir,
      profileKeys: config.profileKeys,
      onError: (error) => log.warn({ err: error }, 'a database connection broke'),
      onChanged: (sessionId, seq, events) => announceEvent(bus, sessionId, seq, events),
    }),
  );
  warnOfSuperuser(store, log);
  return { store, bus };
}

/** Connects the agent id in executions with a process. */
function exposeAgentId(agentId: string, metrics: Registry): void {
  new Gauge({
    name: 'pilothouse_agent_info',
    help: 'Which agent this is; always 1.',
    labelNames: ['agent_id'],
    registers: [metrics],
  }).set({ agent_id: agentId }, 1);
}
