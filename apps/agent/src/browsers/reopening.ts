// Bounds how many browsers this agent opens again at once. After the loss of a host, or an outage that lasted too long, many
// sessions need their browsers at the same time; hosts that launch all of them at once are slow for everybody.

import { setTimeout as sleep } from 'node:timers/promises';

type Options = { atOnce?: number; jitterMs?: number; random?: () => number };

/** The first of them are opened without delay; each that had to wait begins up to `jitterMs` after its turn came. */
export function createReopening({ atOnce = 4, jitterMs = 250, random = Math.random }: Options = {}) {
  let underWay = 0;
  const waiting: (() => void)[] = [];

  async function enter(signal: AbortSignal): Promise<void> {
    if (underWay < atOnce) {
      underWay += 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abort = () => {
      const place = waiting.indexOf(resolve);
      if (place < 0) return; // Its turn has come.
      waiting.splice(place, 1);
      reject(signal.reason);
    };
    waiting.push(resolve);
    signal.addEventListener('abort', abort, { once: true });
    await promise.finally(() => signal.removeEventListener('abort', abort));
    await sleep(random() * jitterMs);
  }

  /** The turn goes to the first that waits. */
  function leave(): void {
    const next = waiting.shift();
    if (next) next();
    else underWay -= 1;
  }

  return {
    /** Rejects with the signal's reason where it is aborted before the turn came. */
    async run<T>(open: () => Promise<T>, signal: AbortSignal): Promise<T> {
      signal.throwIfAborted();
      await enter(signal);
      try {
        return await open();
      } finally {
        leave();
      }
    },
  };
}
