// Parks a browser: its host closes it and its state is saved. The row gets a new epoch before the host is told, so that no
// agent acts in a browser that is being closed.

import type { Bus, SavedState } from '@pilothouse/bus';
import { type BrowserHold, createHostClient, setCold } from '@pilothouse/fleet';
import type { Log } from '@pilothouse/process';
import type { Store } from '@pilothouse/store';

type Options = { bus: Bus; store: Store; log: Log };

const closeMs = 15_000;

export function createParker({ bus, store, log }: Options) {
  const hosts = createHostClient(bus);

  /** Undefined where the host did not close it. */
  async function closeAt(hold: BrowserHold): Promise<{ state: SavedState | undefined } | undefined> {
    const { sessionId, hostId } = hold;
    const result = await hosts.close(hold, { timeoutMs: closeMs });
    if (result.type === 'done') return result.reply;
    const reason = result.type === 'refused' ? 'refused' : result.reason;
    log.warn({ session_id: sessionId, host_id: hostId, reason }, 'a host did not close a browser');
    return undefined;
  }

  /** Has the host close the browser that was taken from it under this epoch, and saves its state. */
  async function finish({ sessionId, hostId, epoch }: BrowserHold): Promise<boolean> {
    const closed = await closeAt({ sessionId, hostId, epoch });
    const state = closed?.state;
    if (state) await store.transaction((tx) => store.browsers.keepParked(tx, sessionId, epoch, state));
    log.info({ session_id: sessionId, host_id: hostId, has_state: state !== undefined }, 'parked a browser');
    return closed !== undefined;
  }

  return {
    closeAt,

    /** Does nothing where a task or a person has begun to use it. `isWaiting`: its task waits for a person. */
    async park(held: BrowserHold, { isWaiting }: { isWaiting: boolean }): Promise<void> {
      const { sessionId, hostId } = held;
      const epoch = await store.change(sessionId, async (tx, append) => {
        const parked = isWaiting
          ? await store.browsers.parkWaiting(tx, sessionId, held)
          : await store.browsers.park(tx, sessionId, held);
        if (parked !== undefined) await setCold(store, tx, append, sessionId);
        return parked;
      });
      if (epoch !== undefined) await finish({ sessionId, hostId, epoch });
    },

    /** Parks a spare browser to make room for a session that waits for one. */
    async parkSpare(spare: BrowserHold): Promise<void> {
      const { sessionId, hostId } = spare;
      const epoch = await store.change(sessionId, async (tx, append) => {
        const parked = await store.browserTurns.park(tx, spare);
        if (parked !== undefined) await setCold(store, tx, append, sessionId);
        return parked;
      });
      if (epoch !== undefined && (await finish({ sessionId, hostId, epoch }))) await store.browserTurns.freed(hostId);
    },
  };
}
export type Parker = ReturnType<typeof createParker>;
