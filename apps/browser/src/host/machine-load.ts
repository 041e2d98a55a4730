// How busy this machine is, so that agents can choose a host.

import { cpus, totalmem } from 'node:os';

export type Load = { cpu: number; memory: number };

/** Each call measures the time since the last call. */
export function createLoadMeter(): () => Load {
  let before = times();
  return () => {
    const now = times();
    const all = now.all - before.all;
    const cpu = all > 0 ? Math.min(1, Math.max(0, 1 - (now.idle - before.idle) / all)) : 0;
    before = now;
    return { cpu, memory: Math.min(1, Math.max(0, 1 - process.availableMemory() / limit())) };
  };
}

/** In a container its limit counts; without a limit the number is larger than any machine. */
const limit = () => Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);

function times(): { idle: number; all: number } {
  const cores = cpus().map((core) => core.times);
  const idle = cores.reduce((sum, time) => sum + time.idle, 0);
  const all = cores.reduce((sum, { user, nice, sys, idle: rest, irq }) => sum + user + nice + sys + rest + irq, 0);
  return { idle, all };
}
