// How much memory is held while bytes pass by, without what only waits to be collected.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export function measureHeld() {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const bytes = () => {
    // What the first finds, the second gives back.
    collect();
    collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const base = bytes();
  const baseResident = process.memoryUsage.rss();
  let most = 0;
  let mostResident = 0;
  return {
    look: () => {
      // With what came since the last look and only waits.
      mostResident = Math.max(mostResident, process.memoryUsage.rss() - baseResident);
      most = Math.max(most, bytes() - base);
    },
    mostMb: () => inMb(most),
    /** Of the whole process, as the machine counts it. What only waits to be collected is in it since the last look. */
    mostResidentMb: () => inMb(mostResident),
  };
}

const inMb = (bytes: number) => Math.round((bytes / 1024 ** 2) * 10) / 10;
