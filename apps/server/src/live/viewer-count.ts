import { randomUUID } from 'node:crypto';
import type { Log } from '@pilothouse/process';
import type { Store } from '@pilothouse/store';
import type { Ending } from './hub.ts';

type Options = { store: Pick<Store, 'viewers'>; log: Log };
type Watched = { listeners: Set<(count: number) => void>; told: number };

const everyMs = 1000;
/** Three words of a server may be lost before those who watch there no longer count. */
const saidForMs = 4000;
/** Several who come or go at once are said at once. */
const soonMs = 20;

/** How many watch each session, over all servers: each says how many it has, and asks for the sum, once a second. */
export function createViewers({ store, log }: Options) {
  const serverId = randomUUID();
  const sessions = new Map<string, Watched>();
  /** Sessions that nobody watches here any more, and of which the others have to be told. */
  const left = new Set<string>();
  let soon: NodeJS.Timeout | undefined;
  let turn: Promise<void> = Promise.resolve();

  async function exchange(): Promise<void> {
    const gone = [...left];
    const counts = new Map([...sessions].map(([id, { listeners }]) => [id, listeners.size]));
    for (const id of gone) if (!counts.has(id)) counts.set(id, 0);
    if (counts.size === 0) return;
    const sums = await store.viewers.report(serverId, counts, saidForMs);
    for (const id of gone) left.delete(id);
    for (const [id, watched] of sessions) {
      // One that came while we asked was not counted yet.
      const sum = sums.get(id) || watched.listeners.size;
      if (sum === watched.told) continue;
      watched.told = sum;
      for (const onCount of watched.listeners) onCount(sum);
    }
  }
  /** One after the other, so that what is said last is what is true. */
  const exchangeNow = () => {
    turn = turn.then(exchange).catch((error) => log.warn({ err: error }, 'could not say who watches'));
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
    join(sessionId: string, onCount: (count: number) => void, ending: Ending): void {
      const watched = sessions.get(sessionId) ?? { listeners: new Set(), told: 0 };
      sessions.set(sessionId, watched);
      watched.listeners.add(onCount);
      ending.onEnd(() => {
        watched.listeners.delete(onCount);
        if (watched.listeners.size === 0) {
          sessions.delete(sessionId);
          left.add(sessionId);
        }
        exchangeSoon();
      });
      // Whoever comes to a number that others know is told it at once.
      if (watched.told > 0) onCount(watched.told);
      exchangeSoon();
    },

    async close() {
      clearInterval(timer);
      clearTimeout(soon);
      for (const id of sessions.keys()) left.add(id);
      sessions.clear();
      exchangeNow();
      await turn;
    },
  };
}
export type Viewers = ReturnType<typeof createViewers>;
