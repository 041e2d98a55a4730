// A server that is told to end: first it says that it is not ready, and goes on answering, so that proxies which ask find out
// and send no more; then it stops to listen, and what is under way is answered.

import type { Server } from 'node:http';
import { setImmediate as nextRound, setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@pilothouse/process';

export type Departure = ReturnType<typeof createDeparture>;

export function createDeparture({ drainMs, log }: { drainMs: number; log: Log }) {
  let isBegun = false;
  return {
    isBegun: () => isBegun,
    /** Resolves when everyone who asks has had the time to hear of it, or the signal is aborted. */
    async begin(signal: AbortSignal): Promise<void> {
      isBegun = true;
      if (drainMs === 0) return;
      log.info({ drain_ms: drainMs }, 'this server is about to end');
      await sleep(drainMs, undefined, { signal }).catch(() => {});
    },
  };
}

/** Where they come without end, some of them are cut. */
const takeAllMs = 1000;

/**
 * Stops listening; `ended` resolves when the last connection has. A connection that the kernel has taken, and we have not, would
 * be reset. The event loop takes one a round, so it happens after a round in which none was left.
 */
export async function stopListening(server: Server): Promise<{ ended: Promise<void> }> {
  let taken = 0;
  const count = () => {
    taken += 1;
  };
  server.on('connection', count);
  const end = performance.now() + takeAllMs;
  for (let before = -1; before !== taken && performance.now() < end; ) {
    before = taken;
    // Two, so that between them it has asked for connections once in any case.
    await nextRound();
    await nextRound();
  }
  server.off('connection', count);
  return { ended: new Promise((resolve) => server.close(() => resolve())) };
}
