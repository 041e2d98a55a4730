// The agent process: runs tasks, stores what hosts report, and runs the background jobs.

import { setFlagsFromString } from 'node:v8';
import { announceEvent, connectBus, queues, taskChanged, workQueued } from '@pilothouse/bus';
import {
  busTracing,
  cached,
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
import { type ClaimedRun, type Glance, isPooled, openBlobs, openStore } from '@pilothouse/store';
import { Gauge, Registry } from 'prom-client';
import { startBrowserTurns } from './background/browser-turns.ts';
import { startRecovery } from './background/dead-agents.ts';
import { startHousekeeping } from './background/housekeeping.ts';
import { housekeepingParts } from './background/housekeeping-parts.ts';
import { startIdleBrowsers } from './background/idle-browsers.ts';
import { startRetention } from './background/old-recordings.ts';
import { showPresence } from './background/presence.ts';
import { startPrograms } from './background/programs.ts';
import { createRetentionMetrics } from './background/retention-metrics.ts';
import { startStuckTasks } from './background/stuck-tasks.ts';
import { startTakeovers } from './background/takeovers.ts';
import { startWaitingTasks } from './background/waiting-tasks.ts';
import { createBrowsers } from './browsers/browsers.ts';
import { readConfig } from './config.ts';
import { startHostJoins } from './host-events/host-joins.ts';
import { startHostReports } from './host-events/host-reports.ts';
import { startRecorder } from './host-events/recorder.ts';
import { startSilentBrowsers } from './host-events/silent-browsers.ts';
import { createLedger } from './ledger/ledger.ts';
import { createLedgerCounts } from './ledger/ledger-metrics.ts';
import { createModelAccess } from './model/model-access.ts';
import { withModelMetrics } from './model/model-metrics.ts';
import { withModelSpans } from './model/model-spans.ts';
import { startPlanAhead } from './planner/plan-ahead.ts';
import { startTaskQueue, type TaskQueue } from './queue/task-queue.ts';
import { createFiles } from './task/files.ts';
import { createRun } from './task/run.ts';

type Config = ReturnType<typeof readConfig>;

// An agent holds the requests of a hundred thinking tasks for some seconds each. Left alone, V8 lets what is dead of them grow to
// several times what is alive before it looks at the old part of the heap.
setFlagsFromString('--heap-growing-percent=50');

/** How old the answer may be by which jobs know whether they are needed. */
const glanceMs = 450;
const pingMs = 1000;

// Everything that starts goes onto the stack and is closed in reverse order. A failed start ends the process and closes
// nothing.
run('agent', async () => {
  const config = readConfig(process.env);
  const { agentId, leaseMs } = config;
  const log = createLog('agent', config.logLevel);
  const stack = new AsyncDisposableStack();
  const closing = <T extends { close(): unknown }>(part: T): T =>
    stack.adopt(part, async () => void (await part.close()));

  closing(await startTracing(config.tracing, { service: 'pilothouse-agent', instance: agentId, log }));
  let queue: TaskQueue | undefined;
  const onDue = () => queue?.look();
  await refusePooler(() => isPooled(config.database.url));
  const { store, bus } = await connect(config, { log, closing, onQueued: onDue });
  const { hostLeaseMs, hostMaxSessions } = config;
  closing(await startHostReports({ bus, store, log, hostLeaseMs, hostMaxSessions }));
  if (config.joins) closing(await startHostJoins({ store, log, bus: config.bus, joins: config.joins }));
  closing(startSilentBrowsers({ bus, store, log }));
  closing(startIdleBrowsers({ bus, store, log, idleMs: config.browserIdleMs, waitMs: config.questions.parkMs }));

  const glance = cached(() => store.glance(agentId, leaseMs), glanceMs);
  const sees = (what: keyof Glance) => async () => (await glance())[what];
  const turns = closing(startBrowserTurns({ store, bus, agentId, log, onDue, isNeeded: sees('hasTaskWaits') }));
  const browsers = createBrowsers({ store, bus, log, onTaskWaits: turns.look });
  const bytesPerUser = config.files.maxBytesPerUser;
  const metrics = new Registry();
  const counts = createLedgerCounts(metrics);
  const questionSecs = config.questions.expireSecs;
  const ledger = createLedger({ store, questionSecs, fileBytesPerUser: bytesPerUser, counts });
  closing(bus.subscribe(taskChanged, {}, ({ session_id }) => ledger.lookAtTasks(session_id)));
  const files = createFiles({ store, bus, bytesPerUser });
  const stopping = new AbortController();
  const mind = openModels(config.model, { metrics, log });
  const asked = { mind, modelLimits: config.model.perUserDay, judgeModel: config.model.judge };
  const parts = {
    store,
    browsers,
    ledger,
    files,
    ...asked,
    installation: config.policy,
    agentId,
    log,
    signal: stopping.signal,
  };

  closing(await startPlanAhead({ bus, store, mind, log }));
  const models = mind.models.list.map(({ name }) => name);
  closing(await showPresence({ store, bus, agentId, models, leaseMs, hostLeaseMs, log, metrics }));
  closing(startWaitingTasks({ store, browsers, ledger, log, isNeeded: sees('hasQuestions') }));
  const takeoverParts = { store, browsers, log, isNeeded: sees('hasTakeovers'), hasBrowsers: sees('hasBrowsers') };
  closing(startTakeovers(takeoverParts));
  closing(startPrograms({ store, browsers, log, isNeeded: sees('hasPrograms') }));
  const retention = createRetentionMetrics(metrics);
  closing(startHousekeeping({ store, log, metrics, retention, parts: housekeepingParts(store, config.keepDays) }));
  const filesKeepDays = config.files.keepDays;
  closing(startRetention({ store, log, metrics: retention, ...config.recording, filesKeepDays }));
  closing(startRecorder({ store, bus, agentId, log, isNeeded: sees('hasRecordings') }));
  closing(startStuckTasks({ store, log, metrics }));
  closing(startRecovery({ store, onDue, agentId, leaseMs, log, metrics, isNeeded: sees('hasMissingAgent') }));

  // Last, so closed first: running tasks stop, no new work is taken, and all of it is given back before anything else closes.
  const { maxRuns, pollMs } = config;
  const startRun = (claimed: ClaimedRun) => createRun(parts, claimed);
  const queueParts = { store, agentId, maxRuns, pollMs, startRun, log, metrics };
  queue = closing(startTaskQueue({ ...queueParts, isNeeded: sees('hasDue') }));
  stack.defer(() => stopping.abort());
  closing(bus.subscribe(workQueued, {}, queue.look, { queue: queues.work }));
  exposeAgentId(agentId, metrics);
  exposeRoundTrips(metrics, {
    database: () => store.ping(pingMs),
    bus: () => bus.ping({ timeoutMs: pingMs }),
  });
  const isReady = async () => bus.isConnected() && (await store.ping(1000));
  closing(await startOps({ ...config.ops, metrics, isReady }));
  return { log, close: () => stack.disposeAsync() };
});

type Connecting = { log: Log; closing: <T extends { close(): unknown }>(part: T) => T; onQueued: () => void };

async function connect(config: Config, { log, closing, onQueued }: Connecting) {
  const { agentId } = config;
  const bus = closing(
    await connectBus({
      servers: config.bus.servers,
      user: config.bus.user,
      password: config.bus.password,
      name: `agent ${agentId}`,
      tracing: busTracing(),
      onStatus: (status) => log.info({ bus: status }, 'bus'),
      onProblem: (problem) => log.warn({ bus: problem }, 'a message was dropped'),
    }),
  );
  const blobs = await openOrRefuse(() => openBlobs(config.blobs));
  const store = closing(
    openStore({
      url: config.database.url,
      name: `pilothouse agent ${agentId}`,
      poolSize: config.database.poolSize,
      vitalMs: config.database.vitalMs,
      blobs,
      profileKeys: config.profileKeys,
      onError: (error) => log.warn({ err: error }, 'a database connection broke'),
      onChanged: (sessionId, seq, events) => announceEvent(bus, sessionId, seq, events),
      onQueued,
    }),
  );
  warnOfSuperuser(store, log);
  return { store, bus };
}

function openModels(model: Config['model'], { metrics, log }: { metrics: Registry; log: Log }) {
  const mind = withModelMetrics(withModelSpans(createModelAccess(model)), metrics);
  for (const { name, isPriced } of mind.models.list)
    if (!isPriced) log.warn({ model: name }, 'no price is known for this model: limits of cost do not hold for it');
  return mind;
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
