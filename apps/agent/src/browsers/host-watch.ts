// Finds out whether a host still answers for a browser. Asks only: it changes nothing at the host or in the database.

import { type Bus, sessionCommand } from '@pilothouse/bus';
import { askUntilHeard, createHostClient, isSilent, reunionMs } from '@pilothouse/fleet';
import type { Store } from '@pilothouse/store';
import type { HostHold } from './handle.ts';

type Options = { store: Store; bus: Bus };

const hostCheckMs = 500;
const statusMs = 5000;

export function createHostWatch({ store, bus }: Options) {
  const hosts = createHostClient(bus);
  const statusOf = (hostId: string) => hosts.status(hostId, { timeoutMs: statusMs });

  /** Whether no process answers for the host. A host that lost the bus for a moment is back before the last probe. */
  async function isGone(hostId: string): Promise<boolean> {
    for (;;) {
      if (!isSilent(await askUntilHeard(() => statusOf(hostId)))) return false;
      // A bus that is away says nothing of the host.
      if (!bus.isConnected()) return false;
      if (bus.steadyForMs() > reunionMs) return true;
    }
  }

  /** Whether this hold is over: the host is gone, or another host or driver has the browser. It may be without a lease. */
  async function isOver(sessionId: string, { hostId, epoch }: HostHold): Promise<boolean> {
    const known = await store.browsers.of(sessionId);
    return !known || known.is_gone || known.epoch !== epoch || (await isGone(hostId));
  }

  return {
    /** Aborts when the host no longer holds the browser. Without it, a request would wait for its full deadline. */
    watch(sessionId: string, hold: HostHold) {
      const gone = new AbortController();
      let isAsking = false;
      const timer = setInterval(() => {
        if (isAsking) return;
        isAsking = true;
        isOver(sessionId, hold)
          .then(
            (isOverNow) => isOverNow && gone.abort(),
            // The database is away, so nothing is known; the request has a deadline of its own.
            () => {},
          )
          .finally(() => {
            isAsking = false;
          });
      }, hostCheckMs);
      return { signal: gone.signal, close: () => clearInterval(timer) };
    },

    /** After `no_responders`: whether the host only lost the bus for a moment, and still has the browser. */
    async isBack(to: { host_id: string; session_id: string }, command_id: string): Promise<boolean> {
      if (await isGone(to.host_id)) return false;
      // A host that was away for long has ended its browsers, and may be back before any agent noticed.
      const asked = await bus.request(sessionCommand, to, { type: 'answer', command_id }, { timeoutMs: statusMs });
      return asked.ok || asked.reason !== 'no_responders';
    },

    /** Whether the host says that it has the browser, or is opening it. */
    async isAtHost(sessionId: string, hostId: string): Promise<boolean> {
      const result = await statusOf(hostId);
      const sessions = result.type === 'done' ? (result.reply.status?.sessions ?? []) : [];
      return sessions.some(({ session_id }) => session_id === sessionId);
    },
  };
}
