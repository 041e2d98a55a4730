// Waits for news of one session: whatever changed it was announced on the bus when it was committed. It must never read the
// database, and those who wait must look there now and then all the same: an announcement may be lost.

import { type Bus, eventWakeup } from '@pilothouse/bus';

export type SessionNews = {
  /** Forgets what came until now. Before a read: news that comes during it may be of a change that it did not see. */
  begin(): void;
  /** Until there is news since `begin`, or for this long. */
  wait(timeoutMs: number): Promise<void>;
};

/** Until the signal ends it; those who wait then are let go. */
export function followSessionNews(bus: Bus, sessionId: string, signal: AbortSignal): SessionNews {
  let hasCome = false;
  let wake = (): void => {};
  const arrived = () => {
    hasCome = true;
    wake();
  };
  bus.subscribe(eventWakeup, { session_id: sessionId }, arrived, { signal });
  signal.addEventListener('abort', arrived, { once: true });
  return {
    begin() {
      hasCome = false;
    },
    async wait(timeoutMs) {
      if (hasCome || signal.aborted) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, timeoutMs);
      wake = resolve;
      await promise;
      clearTimeout(timer);
    },
  };
}
