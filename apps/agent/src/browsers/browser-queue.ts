// Persons who wait for a browser, by this agent. They ask the database together, so the cost does not grow with their
// number. Only the rows decide whose turn it is. Tasks wait as rows (background/browser-turns.ts).

import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@pilothouse/process';
import type { Store } from '@pilothouse/store';
import type { MakeRoom } from './make-room.ts';

type Options = { store: Store; makeRoom: MakeRoom; log: Log; everyMs?: number };
type Wait = { isPerson: boolean; since?: Date | null; signal: AbortSignal };
type Waiter = { sessionId: string; isPerson: boolean; go: () => void };

/** Well within the time after which a wait in the database lapses. */
const renewMs = 2000;

/** A slow database is asked less often: queries take at most a tenth of the time. */
const pausePerLook = 9;

export function createBrowserQueue({ store, makeRoom, log, everyMs = 250 }: Options) {
  const waiters = new Set<Waiter>();
  let isRunning = false;
  let renewedAt = 0;

  async function renew(ids: string[]): Promise<void> {
    const standing = new Set(await store.browserTurns.renew(ids));
    // A wait is missing after a crash of the database, or because this agent stood still.
    for (const { sessionId, isPerson } of [...waiters])
      if (!standing.has(sessionId)) await store.browserTurns.join(sessionId, { isPerson });
    renewedAt = performance.now();
  }

  async function look(): Promise<void> {
    const ids = [...new Set([...waiters].map(({ sessionId }) => sessionId))];
    if (performance.now() - renewedAt > renewMs) await renew(ids);
    const due = new Set(await store.browserTurns.due(ids));
    for (const waiter of [...waiters]) if (due.has(waiter.sessionId)) waiter.go();
    await makeRoom(ids.length - due.size);
  }

  async function run(): Promise<void> {
    isRunning = true;
    while (waiters.size > 0) {
      const from = performance.now();
      await look().catch((error) => log.warn({ err: error }, 'could not look into the queue for browsers'));
      await sleep(Math.max(everyMs, pausePerLook * (performance.now() - from)));
    }
    isRunning = false;
  }

  return {
    /** Resolves when it may be the turn of this session. A wait that times out keeps its place in the queue for a while. */
    async wait(sessionId: string, { isPerson, since, signal }: Wait): Promise<void> {
      signal.throwIfAborted();
      await store.browserTurns.join(sessionId, { isPerson, since });
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const waiter = { sessionId, isPerson, go: resolve };
      const abort = () => reject(signal.reason);
      waiters.add(waiter);
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
      if (!isRunning) void run();
      try {
        await promise;
      } catch (error) {
        // A DOMException means a timeout, or that this agent stops: the person's takeover is attended to again soon and keeps
        // its place.
        if (!(error instanceof DOMException)) await store.browserTurns.leave(sessionId);
        throw error;
      } finally {
        waiters.delete(waiter);
        signal.removeEventListener('abort', abort);
      }
    },
  };
}
