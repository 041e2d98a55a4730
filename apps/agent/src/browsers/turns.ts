// Bounds how much of one kind this agent does at once. The others wait in the order in which they came.

import { setTimeout as sleep } from 'node:timers/promises';

type Options = {
  atOnce: number;
  jitterMs?: number;
  /** After this time the turn is the next one's, though its work goes on. */
  passesOnMs?: number;
  random?: () => number;
};

/** The first of them begin without delay; each that had to wait begins up to `jitterMs` after its turn came. */
export function createTurns({ atOnce, jitterMs = 0, passesOnMs, random = Math.random }: Options) {
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
    if (jitterMs > 0) await sleep(random() * jitterMs);
  }

  /** The turn goes to the first that waits. */
  function leave(): void {
    const next = waiting.shift();
    if (next) next();
    else underWay -= 1;
  }

  return {
    /** Rejects with the signal's reason where it is aborted before the turn came. */
    async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
      signal.throwIfAborted();
      await enter(signal);
      let hasTurn = true;
      const passOn = () => {
        if (hasTurn) leave();
        hasTurn = false;
      };
      const timer = passesOnMs === undefined ? undefined : setTimeout(passOn, passesOnMs);
      try {
        return await work();
      } finally {
        clearTimeout(timer);
        passOn();
      }
    },
  };
}
