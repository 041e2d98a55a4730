import { tmpdir } from 'node:os';
import { connectBus, hostUser } from '@pilothouse/bus';
import { createLog, run, startOps } from '@pilothouse/process';
import { readConfig } from './config.ts';
import { openHostFolder } from './folder.ts';
import { createHost, usersOf } from './host.ts';
import { holdLease } from './lease.ts';
import { checkSandbox } from './sandbox.ts';
import { createLoadMeter } from './usage.ts';
import { claimUsers, createUsers } from './users.ts';

const SANDBOX_CHECK_MS = 30_000;

run('browser', async () => {
  const {
    hostId,
    bootId,
    capacity,
    warm,
    chromium,
    firstUid,
    limits,
    bus: busAt,
    ops: opsAt,
    logLevel,
  } = readConfig(process.env);
  const log = createLog(hostId, logLevel);
  const claim = await claimUsers({ firstUid, count: usersOf({ capacity, warm }) });
  const folder = await openHostFolder(tmpdir(), hostId);
  const users = createUsers({ firstUid, count: 1 });
  await checkSandbox({ ...chromium, parent: folder.path, users, timeoutMs: SANDBOX_CHECK_MS }).catch(async (error) => {
    await folder.close();
    throw error;
  });
  if (!chromium.hasSandbox) log.warn('browsers run without their sandbox: any page may take over this host');
  const bus = await connectBus({
    servers: busAt.url,
    user: hostUser(hostId),
    password: busAt.password,
    name: hostId,
    onStatus: (status) => log.info({ bus: status }, 'bus'),
    onProblem: (problem) => log.warn({ bus: problem }, 'a message was dropped'),
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
  });
  const loadNow = createLoadMeter();
  const lease = holdLease({
    bus,
    log,
    hostId,
    bootId,
    tell: () => ({ capacity, sessions: host.status().sessions, load: loadNow() }),
    onHeld: host.fill,
    onLost: () => void host.endAll(),
  });
  const ops = await startOps({ ...opsAt, isReady: lease.isHeld });

  return {
    log,
    async close() {
      await ops.close();
      // Before the lease goes: without it nobody would keep what the sessions leave.
      await host.close();
      lease.close();
      await bus.close();
      await folder.close();
      claim.close();
    },
  };
});
