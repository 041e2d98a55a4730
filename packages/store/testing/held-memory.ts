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
  let most = 0;
  return {
    look: () => {
      most = Math.max(most, bytes() - base);
    },
    mostMb: () => Math.round((most / 1024 ** 2) * 10) / 10,
  };
}
