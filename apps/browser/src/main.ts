import { tmpdir } from 'node:os';
import { connectBus, hostUser } from '@pilothouse/bus';
import { createLog, run, startOps } from '@pilothouse/process';
import { readConfig } from './config.ts';
import { openHostFolder } from './folder.ts';
import { createHost } from './host.ts';
import { holdLease } from './lease.ts';

run('browser', async () => {
  const {
    hostId,
    bootId,
    capacity,
    chromium: { path: chromiumPath, firstUid },
    bus: { url, password },
    ops: opsAt,
    logLevel,
  } = readConfig(process.env);
  const log = createLog(hostId, logLevel);
  const folder = await openHostFolder(tmpdir(), hostId);
  const bus = await connectBus({
    servers: url,
    user: hostUser(hostId),
    password,
    name: hostId,
    onStatus: (status) => log.info({ bus: status }, 'bus'),
    onProblem: (problem) => log.warn({ bus: problem }, 'a message was dropped'),
  });
  const isHeld = () => lease.isHeld();
  const host = createHost({ bus, log, hostId, capacity, chromiumPath, firstUid, folder: folder.path, isHeld });
  const lease = holdLease({
    bus,
    log,
    hostId,
    bootId,
    capacity,
    sessions: host.sessions,
    onLost: () => void host.endAll(),
  });
  const ops = await startOps({ ...opsAt, isReady: lease.isHeld });

  return {
    log,
    async close() {
      await ops.close();
      lease.close();
      await host.close();
      await bus.close();
      await folder.close();
    },
  };
});
