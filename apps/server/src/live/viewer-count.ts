// How many viewers each session has, over all servers. Each server reports its own number and reads the sum once a second.

import { randomUUID } from 'node:crypto';
import type { Log } from '@pilothouse/process';
import type { Store } from '@pilothouse/store';
import type { Lifetime } from './event-hub.ts';

type Options = { store: Pick<Store, 'viewers'>; log: Log };
type CountedSession = { listeners: Set<(count: number) => void>; lastSum: number };

const everyMs = 1000;
/** Three reports of a server may be lost before its viewers no longer count. */
const reportedForMs = 4000;
/** Viewers that come or go within this time are reported together. */
const soonMs = 20;

export function createViewerCount({ store, log }: Options) {
  const serverId = randomUUID();
  const sessions = new Map<string, CountedSession>();
  /** Sessions without viewers here, of which the other servers have to be told. */
  const left = new Set<string>();
  let soon: NodeJS.Timeout | undefined;
  let lastExchange: Promise<void> = Promise.resolve();

  async function exchange(): Promise<void> {
    const gone = [...left];
    const counts = new Map([...sessions].map(([id, { listeners }]) => [id, listeners.size]));
    for (const id of gone) if (!counts.has(id)) counts.set(id, 0);
    if (counts.size === 0) return;
    const sums = await store.viewers.report(serverId, counts, reportedForMs);
    for (const id of gone) left.delete(id);
    for (const [id, session] of sessions) {
      // A session that came during the report is not in the sums yet.
      const sum = sums.get(id) || session.listeners.size;
      if (sum === session.lastSum) continue;
      session.lastSum = sum;
      for (const onCount of session.listeners) onCount(sum);
    }
  }
  /** One after another, so that the last report is the true one. */
  const exchangeNow = () => {
    lastExchange = lastExchange
      .then(exchange)
      .catch((error) => log.warn({ err: error }, 'could not report the number of viewers'));
  };
  const timer = setInterval(exchangeNow, everyMs);
  const exchangeSoon = () => {
    soon ??= setTimeout(() => {
      soon = undefined;
      exchangeNow();
    }, soonMs);
  };

  return {
    /** Counts a viewer until the end, and tells it the sum whenever that changes. */
    join(sessionId: string, onCount: (count: number) => void, lifetime: Lifetime): void {
      const session = sessions.get(sessionId) ?? { listeners: new Set(), lastSum: 0 };
      sessions.set(sessionId, session);
      session.listeners.add(onCount);
      lifetime.onEnd(() => {
        session.listeners.delete(onCount);
        if (session.listeners.size === 0) {
          sessions.delete(sessionId);
          left.add(sessionId);
        }
        exchangeSoon();
      });
      // A sum that is known already is told at once.
      if (session.lastSum > 0) onCount(session.lastSum);
      exchangeSoon();
    },

    async close() {
      clearInterval(timer);
      clearTimeout(soon);
      for (const id of sessions.keys()) left.add(id);
      sessions.clear();
      exchangeNow();
      await lastExchange;
    },
  };
}
export type ViewerCount = ReturnType<typeof createViewerCount>;
