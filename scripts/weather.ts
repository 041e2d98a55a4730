// What a machine did while something ran on it. Processors that were lent to others, and seconds in which nothing ran, fail tests
// that are right.
import { readFileSync } from 'node:fs';

/** Parts of the processors' time, and the longest time in which a timer of this process did not run. */
export type Weather = { busy: number; waitingForDisk: number; stolen: number; stoodStillMs: number };

const everyMs = 200;

/** Returns what tells the weather since then, and ends the watching. */
export function watchMachine(): () => Weather {
  const before = processorTimes();
  let last = performance.now();
  let stoodStillMs = 0;
  const look = () => {
    const now = performance.now();
    stoodStillMs = Math.max(stoodStillMs, now - last - everyMs);
    last = now;
  };
  const timer = setInterval(look, everyMs);
  return () => {
    clearInterval(timer);
    look();
    return { ...partsBetween(before, processorTimes()), stoodStillMs: Math.max(0, stoodStillMs) };
  };
}

export const inWords = ({ busy, waitingForDisk, stolen, stoodStillMs }: Weather) =>
  `processors ${percent(busy)} busy, ${percent(waitingForDisk)} waiting for the disk, ${percent(stolen)} lent to others; ` +
  `nothing ran for up to ${(stoodStillMs / 1000).toFixed(1)} s`;
const percent = (part: number) => `${Math.round(part * 100)} %`;

type Times = { total: number; idle: number; disk: number; stolen: number };

/** The order of the columns is the kernel's: user, nice, system, idle, iowait, irq, softirq, steal; guests are in user. */
export function parseTimes(stat: string): Times {
  const columns = (stat.split('\n', 1)[0] ?? '').trim().split(/\s+/).slice(1, 9).map(Number);
  const [, , , idle = 0, disk = 0, , , stolen = 0] = columns;
  return { total: columns.reduce((sum, ticks) => sum + ticks, 0), idle, disk, stolen };
}

function processorTimes(): Times {
  try {
    return parseTimes(readFileSync('/proc/stat', 'utf8'));
  } catch {
    // Not Linux.
    return { total: 0, idle: 0, disk: 0, stolen: 0 };
  }
}

export function partsBetween(before: Times, after: Times): Omit<Weather, 'stoodStillMs'> {
  const total = Math.max(1, after.total - before.total);
  const idle = (after.idle - before.idle) / total;
  const waitingForDisk = (after.disk - before.disk) / total;
  const stolen = (after.stolen - before.stolen) / total;
  return { busy: 1 - idle - waitingForDisk - stolen, waitingForDisk, stolen };
}
