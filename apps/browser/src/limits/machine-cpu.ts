// Whether all processors of the machine are busy. Then no session gets what it asks for, and a busy one no more than others.

import { readFileSync } from 'node:fs';

const full = 0.9;

export function parseCpuLine(text: string): { idle: number; all: number } {
  const times = text.slice(0, text.indexOf('\n')).trim().split(/\s+/).slice(1, 9).map(Number);
  // The fourth and fifth: nothing to do, and nothing but waiting for a disk.
  return { idle: (times[3] ?? 0) + (times[4] ?? 0), all: times.reduce((sum, time) => sum + time, 0) };
}

/** Each call tells of the time since the one before. */
export function watchMachineCpu(path = '/proc/stat'): () => boolean {
  const read = () => parseCpuLine(readFileSync(path, 'utf8'));
  let before = read();
  return () => {
    const now = read();
    const [idle, all] = [now.idle - before.idle, now.all - before.all];
    before = now;
    return all > 0 && 1 - idle / all > full;
  };
}
