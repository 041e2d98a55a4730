// Gives the memory of a process without work back to the machine.

import { Session } from 'node:inspector/promises';

export type IdleMemory = {
  /** The last work has ended: after a while, what the heap keeps for more is given back. */
  start(): void;
  /** Work comes, or the process ends. */
  cancel(): void;
};

type Options = { afterMs: number; collect?: () => unknown };

/** Only a garbage collection gives memory back, and an idle process allocates too little to cause one. */
export function createIdleMemory({ afterMs, collect = collectGarbage }: Options): IdleMemory {
  let timer: NodeJS.Timeout | undefined;
  const cancel = () => clearTimeout(timer);
  return {
    start() {
      cancel();
      timer = setTimeout(collect, afterMs).unref();
    },
    cancel,
  };
}

/** Everything, with the space of the young generation, which `gc()` of the engine would keep. */
async function collectGarbage(): Promise<void> {
  const session = new Session();
  try {
    session.connect();
    await session.post('HeapProfiler.collectGarbage');
  } catch {
    // Then the memory is given back later, or not: nothing waits for it.
  } finally {
    session.disconnect();
  }
}
