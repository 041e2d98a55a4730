// Parks a browser: its host closes it and its state is saved. The row gets a new epoch before the host is told, so that no
// agent acts in a browser that is being closed.

import type { Bus, SavedState } from '@pilothouse/bus';
import { type BrowserHold, createHostClient, type HostResult, setCold } from '@pilothouse/fleet';
import type { Log } from '@pilothouse/process';
import type { Store } from '@pilothouse/store';

type Options = { bus: Bus; store: Store; log: Log };

/** A host saves the state of every page before it closes a browser. */
const closeMs = 10_000;

export function createParker({ bus, store, log }: Options) {
  const hosts = createHostClient(bus);

  async function closeAt(hold: BrowserHold): Promise<HostResult<{ state: SavedState | undefined }>> {
    const { sessionId, hostId } = hold;
    const result = await hosts.close(hold, { timeoutMs: closeMs });
    if (result.type === 'done') return result;
    const reason = result.type === 'refused' ? result.failure : result.reason;
    log.warn({ session_id: sessionId, host_id: hostId, reason }, 'a host did not close a browser');
    return result;
  }

  /** Has the host close the browser that was taken from it under this epoch, and saves its state. */
  async function finish({ sessionId, hostId, epoch }: BrowserHold): Promise<HostResult<unknown>> {
    const closed = await closeAt({ sessionId, hostId, epoch });
    const state = closed.type === 'done' ? closed.reply.state : undefined;
    if (state) await store.transaction((tx) => store.browsers.keepParked(tx, sessionId, epoch, state));
    log.info({ session_id: sessionId, host_id: hostId, has_state: state !== undefined }, 'parked a browser');
    return closed;
  }

  return {
    /** Closes a browser that its host should not have. False where the host did not answer. */
    closeOrphan: async (hold: BrowserHold): Promise<boolean> => (await closeAt(hold)).type !== 'unanswered',

    /**
     * Does nothing where a task or a person has begun to use it. `isWaiting`: its task waits for a person. False where the
     * host did not answer: then it is an orphan, which is closed later.
     */
    async park(held: BrowserHold, { isWaiting }: { isWaiting: boolean }): Promise<boolean> {
      const { sessionId, hostId } = held;
      const epoch = await store.change(sessionId, async (tx, append) => {
        const parked = isWaiting
          ? await store.browsers.parkWaiting(tx, sessionId, held)
          : await store.browsers.park(tx, sessionId, held);
        if (parked !== undefined) await setCold(store, tx, append, sessionId);
        return parked;
      });
      return epoch === undefined || (await finish({ sessionId, hostId, epoch })).type !== 'unanswered';
    },

    /** Parks a spare browser to make room for a session that waits for one. */
    async parkSpare(spare: BrowserHold): Promise<void> {
      const { sessionId, hostId } = spare;
      const epoch = await store.change(sessionId, async (tx, append) => {
        const parked = await store.browserTurns.park(tx, spare);
        if (parked !== undefined) await setCold(store, tx, append, sessionId);
        return parked;
      });
      if (epoch === undefined) return;
      const { type } = await finish({ sessionId, hostId, epoch });
      if (type === 'done') await store.browserTurns.freed(hostId);
    },
  };
}
export type Parker = ReturnType<typeof createParker>;
