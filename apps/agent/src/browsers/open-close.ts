// Opens and closes a session's browser at one host. The row is written first, under a new epoch; then the host is told.

import type { Bus, SavedState } from '@pilothouse/bus';
import { createHostClient, releaseBrowser } from '@pilothouse/fleet';
import { type Append, type Store, sessionStateOf, type Tx } from '@pilothouse/store';
import type { BrowserHandle, HostHold } from './handle.ts';
import type { LaunchOptions } from './launch-options.ts';

type Options = { store: Store; bus: Bus };

const openMs = 20_000;

export function createOpenClose({ store, bus }: Options) {
  const hosts = createHostClient(bus);

  async function setBrowser(tx: Tx, append: Append, sessionId: string, state: 'starting' | 'live'): Promise<void> {
    const session = await store.sessions.setBrowser(tx, sessionId, state);
    if (session) await append({ kind: 'status', data: { session: sessionStateOf(session) } });
  }

  return {
    /** Unless another host or driver has it by now. A program may be quicker: it drives what the host has opened. */
    setLive: (sessionId: string, handle: BrowserHandle) =>
      store.change(sessionId, async (tx, append) => {
        if (await store.browsers.isStillAt(tx, sessionId, handle)) await setBrowser(tx, append, sessionId, 'live');
      }),

    /**
     * Assigns the browser to this host under a new epoch, if it is the session's turn and no other agent assigned it since
     * `before`. `since` tells from when the session waited. A task that is no longer at work gets no turn.
     */
    assign: (session: LaunchOptions, host: { id: string; boot_id: string }, before: number, executionId?: string) =>
      store.change(session.id, async (tx, append) => {
        // The turn of a task is only its present run's. A person's session may have been closed in this moment.
        if (executionId === undefined && (await store.sessions.locked(tx, session.id))?.status === 'closed')
          return 'session_closed' as const;
        const turn = await store.browserTurns.take(tx, session.id, host, executionId);
        if (!turn) return 'not_its_turn' as const;
        const to = { id: host.id, bootId: host.boot_id, reach: session.reach };
        const taken = await store.browsers.assign(tx, session.id, to, before);
        if (!taken) return 'another_was_quicker' as const;
        await setBrowser(tx, append, session.id, 'starting');
        return { ...taken, since: turn.since };
      }),

    /** The reason why the host did not open it; undefined where it did. */
    async open(
      { id: sessionId, viewport, reach }: LaunchOptions,
      { hostId, epoch }: BrowserHandle,
      { state, isPerson }: { state: SavedState | null; isPerson: boolean },
    ) {
      // Its pages may show again what was typed before.
      const secrets = store.secrets.isOn ? await store.secrets.typedIn(sessionId) : [];
      const setup = { viewport, state, reach, isPerson, ...(secrets.length > 0 && { secrets }) };
      const result = await hosts.open({ sessionId, hostId, epoch }, setup, { timeoutMs: openMs });
      if (result.type === 'done') return undefined;
      return result.type === 'refused' ? result.failure : result.reason;
    },

    /** Closes the browser at its host and saves its state. False where the host did not close it. */
    async close(sessionId: string, { hostId, epoch }: HostHold): Promise<boolean> {
      const hold = { sessionId, hostId, epoch };
      const result = await hosts.close(hold, { timeoutMs: openMs });
      if (result.type !== 'done') return false;
      const { state } = result.reply;
      await store.change(sessionId, async (tx, append) => {
        if (state) await store.browsers.keepState(tx, sessionId, hold, state);
        await releaseBrowser(store, tx, append, hold);
      });
      return true;
    },
  };
}
