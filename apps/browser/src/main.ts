// The browser host process: starts its parts in order, and closes them in the reverse order.

import { tmpdir } from 'node:os';
import { connectBus } from '@pilothouse/bus';
import { busTracing, createLog, exposeRoundTrips, run, startOps, startTracing } from '@pilothouse/process';
import { Registry } from 'prom-client';
import { openHostFolder } from './chromium/folders.ts';
import { checkSandbox } from './chromium/sandbox-check.ts';
import { findSeparation, separationNotices } from './chromium/separation.ts';
import { claimUsers, createUsers } from './chromium/unix-users.ts';
import { onIgnoredError } from './common/best-effort.ts';
import { readConfig } from './config.ts';
import { closedReasons } from './guard/rules/addresses.ts';
import { createDeparture } from './host/departure.ts';
import { createHost, usersOf } from './host/host.ts';
import { holdLease } from './host/lease.ts';
import { createLoadMeter } from './host/machine-load.ts';
import { addHostGauges, createHostCounters } from './host/metrics.ts';

const sandboxCheckMs = 30_000;
const pingMs = 1000;
/** There may be no agent yet, or no place until one that is gone is missed. */
const joinMs = 120_000;

run('browser', async () => {
  const parts = new AsyncDisposableStack();
  return start(parts).catch(async (error) => {
    await parts.disposeAsync();
    throw error;
  });
});

async function start(parts: AsyncDisposableStack) {
  const {
    hostId,
    bootId,
    capacity,
    warm,
    keepMs,
    drainMs,
    chromium: chromiumSettings,
    firstUid,
    limits,
    bus: signsIn,
    isJoining,
    ops: opsSettings,
    tracing: tracingSettings,
    logLevel,
  } = readConfig(process.env);
  const log = createLog(hostId, logLevel);
  parts.defer((await startTracing(tracingSettings, { service: 'pilothouse-browser', instance: hostId, log })).close);
  const claim = await claimUsers({ firstUid, count: usersOf({ capacity, warm }) });
  parts.defer(claim.close);
  const folder = await openHostFolder(tmpdir(), hostId);
  parts.defer(folder.close);
  const { chromium, notices } = await checkSeparation(chromiumSettings, { firstUid, folder: folder.path });
  if (!chromium.hasSandbox) log.warn('browsers run without their sandbox: any page may take over this host');
  for (const notice of notices) log.warn(notice);
  const bus = await connectBus({
    ...signsIn,
    ...(isJoining && { connectTimeoutMs: joinMs }),
    tracing: busTracing({ answers: true }),
    onStatus: (status) => log.info({ bus: status }, 'bus'),
    onProblem: (problem) => log.warn({ bus: problem }, 'a message was dropped'),
  });
  parts.defer(() => bus.close());
  const metrics = new Registry();
  const counters = createHostCounters(metrics, closedReasons);
  onIgnoredError((what, kind) => {
    log.debug({ what, kind }, 'work that may fail has failed');
    counters.ignoredError(what);
  });
  const isHeld = () => lease.isHeld();
  const host = createHost({
    bus,
    log,
    hostId,
    capacity,
    warm,
    chromium,
    firstUid,
    folder: folder.path,
    limits,
    isHeld,
    counters,
  });
  addHostGauges(metrics, host.status, isHeld);
  exposeRoundTrips(metrics, { bus: () => bus.ping({ timeoutMs: pingMs }) });
  const countSessions = () => host.status().sessions.length;
  const departure = createDeparture({ drainMs, log, lease: () => lease, countSessions });
  const loadNow = createLoadMeter();
  const lease = holdLease({
    bus,
    log,
    hostId,
    bootId,
    tell: () => ({ capacity, ...departure.tell(), sessions: host.status().sessions, load: loadNow() }),
    onHeld: host.fill,
    onLost: counters.leaseLost,
    onOpenedElsewhere: host.endOlder,
    keepMs,
    isKeptFromStart: isJoining,
    onKeepOver: () => void host.endAll().finally(isJoining ? endProcess : undefined),
  });
  parts.defer(lease.close);
  // Deferred after the lease, so closed before it: without a lease no agent would store the last states.
  parts.defer(host.close);
  const isReady = () => lease.isHeld() && !departure.isBegun();
  const ops = await startOps({ ...opsSettings, metrics, isReady, notices });
  parts.defer(ops.close);
  return { log, finishWork: departure.begin, finishWithinMs: drainMs, close: () => parts.disposeAsync() };
}

/** A joined host that lost its place gets another only under a new id. It ends, so that its supervisor (Compose, systemd) starts it again. */
const endProcess = () => void process.kill(process.pid, 'SIGTERM');

/** Opens a browser and looks whether it is locked up: a host that cannot do that does not start. */
async function checkSeparation(
  settings: ReturnType<typeof readConfig>['chromium'],
  { firstUid, folder }: { firstUid: number | undefined; folder: string },
) {
  const separation = await findSeparation({ firstUid });
  const chromium = { ...settings, hidesProcesses: separation === 'namespace' };
  const users = createUsers({ firstUid, count: 1 });
  await checkSandbox({ ...chromium, parent: folder, users, timeoutMs: sandboxCheckMs });
  return { chromium, notices: separationNotices[separation] };
}
