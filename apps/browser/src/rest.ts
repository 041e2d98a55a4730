// A host without sessions gives its memory back to the machine.

import { Session } from 'node:inspector/promises';

export type Rest = {
  /** Nobody is here: after a while, what the heap keeps for more work is given back. */
  begin(): void;
  /** Somebody came, or the host ends. */
  end(): void;
};

/** Only a collection gives memory back, and one who rests allocates too little to cause any. */
export function createRest({ afterMs, collect = collectGarbage }: { afterMs: number; collect?: () => unknown }): Rest {
  let timer: NodeJS.Timeout | undefined;
  const end = () => clearTimeout(timer);
  return {
    begin() {
      end();
      timer = setTimeout(collect, afterMs).unref();
    },
    end,
  };
}

/** All that can be, and the room of the young generation too: `gc()` of the engine would keep that. */
async function collectGarbage(): Promise<void> {
  const session = new Session();
  try {
    session.connect();
    await session.post('HeapProfiler.collectGarbage');
  } catch {
    // Then the memory is given back later, or not. Nobody waits for it.
  } finally {
    session.disconnect();
  }
}
