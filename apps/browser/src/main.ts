import { connectBus, hostUser } from '@pilothouse/bus';
import { createLog, run, startOps } from '@pilothouse/process';
import { readConfig } from './config.ts';
import { holdLease } from './lease.ts';

run('browser', async () => {
  const {
    hostId,
    bootId,
    capacity,
    bus: { url, password },
    ops: opsAt,
    logLevel,
  } = readConfig(process.env);
  const log = createLog(hostId, logLevel);
  const bus = await connectBus({
    servers: url,
    user: hostUser(hostId),
    password,
    name: hostId,
    onStatus: (status) => log.info({ bus: status }, 'bus'),
    onProblem: (problem) => log.warn({ bus: problem }, 'a message was dropped'),
  });
  const lease = holdLease({ bus, log, hostId, bootId, capacity, sessions: () => [] });
  const ops = await startOps({ ...opsAt, isReady: lease.isHeld });

  return {
    log,
    async close() {
      lease.close();
      await ops.close();
      await bus.close();
    },
  };
});
