// The browser host process: starts its parts in order, and closes them in the reverse order.

import { tmpdir } from 'node:os';
import { connectBus, hostUser } from '@pilothouse/bus';
import { createLog, run, startOps } from '@pilothouse/process';
import { Registry } from 'prom-client';
import { openHostFolder } from './chromium/folders.ts';
import { checkSandbox } from './chromium/sandbox-check.ts';
import { findSeparation, separationNotices } from './chromium/separation.ts';
import { claimUsers, createUsers } from './chromium/unix-users.ts';
import { onIgnoredError } from './common/best-effort.ts';
import { readConfig } from './config.ts';
import { createHost, usersOf } from './host/host.ts';
import { holdLease } from './host/lease.ts';
import { createLoadMeter } from './host/machine-load.ts';
import { addHostGauges, createHostCounters } from './host/metrics.ts';

const sandboxCheckMs = 30_000;

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
    chromium: chromiumSettings,
    firstUid,
    limits,
    bus: busSettings,
    ops: opsSettings,
    logLevel,
  } = readConfig(process.env);
  const log = createLog(hostId, logLevel);
  const claim = await claimUsers({ firstUid, count: usersOf({ capacity, warm }) });
  parts.defer(claim.close);
  const folder = await openHostFolder(tmpdir(), hostId);
  parts.defer(folder.close);
  const users = createUsers({ firstUid, count: 1 });
  const separation = await findSeparation({ firstUid });
  const chromium = { ...chromiumSettings, hidesProcesses: separation === 'namespace' };
  await checkSandbox({ ...chromium, parent: folder.path, users, timeoutMs: sandboxCheckMs });
  if (!chromium.hasSandbox) log.warn('browsers run without their sandbox: any page may take over this host');
  const notices = separationNotices[separation];
  for (const notice of notices) log.warn(notice);
  const bus = await connectBus({
    servers: busSettings.url,
    user: hostUser(hostId),
    password: busSettings.password,
    name: hostId,
    onStatus: (status) => log.info({ bus: status }, 'bus'),
    onProblem: (problem) => log.warn({ bus: problem }, 'a message was dropped'),
  });
  parts.defer(() => bus.close());
  const metrics = new Registry();
  const counters = createHostCounters(metrics);
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
  addHostGauges(metrics, host.status);
  const loadNow = createLoadMeter();
  const lease = holdLease({
    bus,
    log,
    hostId,
    bootId,
    tell: () => ({ capacity, sessions: host.status().sessions, load: loadNow() }),
    onHeld: host.fill,
    onOpenedElsewhere: host.endOlder,
    keepMs,
    onKeepOver: () => void host.endAll(),
  });
  parts.defer(lease.close);
  // Deferred after the lease, so closed before it: without a lease no agent would store the last states.
  parts.defer(host.close);
  const ops = await startOps({ ...opsSettings, metrics, isReady: lease.isHeld, notices });
  parts.defer(ops.close);
  return { log, close: () => parts.disposeAsync() };
}
