// Finds out whether a host still answers for a browser. Asks only: it changes nothing at the host or in the database.

import { type Bus, sessionCommand } from '@pilothouse/bus';
import { askUntilHeard, createHostClient, isSilent, reunionMs } from '@pilothouse/fleet';
import type { Store } from '@pilothouse/store';
import type { HostHold } from './handle.ts';
import { createWatchLoop } from './watch-loop.ts';

type Options = { store: Store; bus: Bus };
type Watched = HostHold & { sessionId: string; gone: AbortController };

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

  const probed = new Set<string>();
  const loop = createWatchLoop<Watched>({ everyMs: hostCheckMs, look });

  /** One statement for all commands that wait. A host may be without a lease for a while. */
  async function look(asked: readonly Watched[]): Promise<void> {
    for (const hostId of new Set(asked.map((one) => one.hostId))) void probe(hostId);
    const rows = await store.browsers.ofAll(asked.map(({ sessionId }) => sessionId));
    for (const { sessionId, epoch, gone } of asked) {
      const known = rows.get(sessionId);
      if (!known || known.is_gone || known.epoch !== epoch) gone.abort();
    }
  }

  /** One probe of each host at a time, however many commands wait for it. */
  async function probe(hostId: string): Promise<void> {
    if (probed.has(hostId)) return;
    probed.add(hostId);
    const isOver = await isGone(hostId);
    probed.delete(hostId);
    if (isOver) for (const one of loop.all()) if (one.hostId === hostId) one.gone.abort();
  }

  return {
    /** Aborts when the host no longer holds the browser. Without it, a request would wait for its full deadline. */
    watch(sessionId: string, { hostId, epoch }: HostHold) {
      const one: Watched = { sessionId, hostId, epoch, gone: new AbortController() };
      loop.add(one);
      return { signal: one.gone.signal, close: () => loop.remove(one) };
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
