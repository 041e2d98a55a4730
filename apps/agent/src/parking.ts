// Browsers that nobody needs are closed, and those that are gone are said to be. Every agent looks; each act is one
// conditional statement, so that one of them does it.

import { type Bus, hostCommand, type SavedState } from '@pilothouse/bus';
import type { Log } from '@pilothouse/process';
import { type Append, type Store, sessionStateOf, type Tx } from '@pilothouse/store';
import { startRounds } from './rounds.ts';

type Options = {
  bus: Bus;
  store: Store;
  log: Log;
  idleMs: number;
  /** How long a browser stays with a task that waits for a person. */
  waitMs?: number;
  everyMs?: number;
};
type Held = { sessionId: string; hostId: string; epoch: number };

const askMs = 15_000;

/** Closes browsers that nobody uses: each is taken from its host under a new epoch before the host is told. */
export function createParker({ bus, store, log }: Pick<Options, 'bus' | 'store' | 'log'>) {
  async function closeAt({ sessionId, hostId, epoch }: Held): Promise<SavedState | undefined> {
    const message = { type: 'close', session_id: sessionId, epoch } as const;
    const result = await bus.request(hostCommand, { host_id: hostId }, message, { timeoutMs: askMs });
    if (!result.ok || !result.reply.ok) {
      const reason = result.ok ? 'refused' : result.reason;
      log.warn({ session_id: sessionId, host_id: hostId, reason }, 'a browser was not closed');
      return undefined;
    }
    return result.reply.state;
  }

  return {
    closeAt,

    /** Nothing happens where somebody has begun to use it. */
    async park(held: Held, { isWaiting }: { isWaiting: boolean }): Promise<void> {
      const { sessionId, hostId } = held;
      const epoch = await store.change(sessionId, async (tx, append) => {
        const parked = isWaiting
          ? await store.browsers.parkWaiting(tx, sessionId, held)
          : await store.browsers.park(tx, sessionId, held);
        if (parked !== undefined) await setCold(store, tx, append, sessionId);
        return parked;
      });
      if (epoch === undefined) return;
      const state = await closeAt({ sessionId, hostId, epoch });
      if (state) await store.transaction((tx) => store.browsers.keepParked(tx, sessionId, epoch, state));
      log.info({ session_id: sessionId, host_id: hostId, has_state: state !== undefined }, 'parked a browser');
    },
  };
}

export function startParking({ bus, store, log, idleMs, waitMs = idleMs, everyMs = 5000 }: Options) {
  const parker = createParker({ bus, store, log });

  /** What the host says of the session right now; heartbeats are seconds old. */
  async function isInUse({ sessionId, hostId }: Held, isWaiting: boolean): Promise<boolean> {
    const result = await bus.request(hostCommand, { host_id: hostId }, { type: 'status' }, { timeoutMs: askMs });
    if (!result.ok || !result.reply.ok) return true;
    const held = result.reply.status?.sessions.find(({ session_id }) => session_id === sessionId);
    // Somebody looks at the page of one that waits every other second.
    return !held || held.is_watched || (!isWaiting && held.idle_ms < idleMs);
  }

  async function park(held: Held, how: { isWaiting: boolean }): Promise<void> {
    if (!(await isInUse(held, how.isWaiting))) await parker.park(held, how);
  }

  async function sayGone(sessionId: string): Promise<void> {
    await store.change(sessionId, async (tx, append) => {
      if (await store.browsers.releaseGone(tx, sessionId)) await setCold(store, tx, append, sessionId);
    });
    log.info({ session_id: sessionId }, 'the host of its browser is gone');
  }

  async function look(): Promise<void> {
    for (const held of await store.browsers.unused(idleMs)) await park(held, { isWaiting: false });
    for (const held of await store.browsers.forgotten(waitMs)) await park(held, { isWaiting: true });
    // Left by an agent that died between taking and closing, or by a host that was given up too early.
    for (const held of await store.browsers.strays()) await parker.closeAt(held);
    for (const sessionId of await store.browsers.gone()) await sayGone(sessionId);
  }

  return startRounds(look, everyMs, (error) => log.warn({ err: error }, 'could not look for unused browsers'));
}

/** The session has no browser any more, and everybody who follows it is told; nothing, where it was so already. */
export async function setCold(store: Store, tx: Tx, append: Append, sessionId: string): Promise<void> {
  const session = await store.sessions.setBrowser(tx, sessionId, 'cold');
  if (session) await append({ kind: 'status', data: { session: sessionStateOf(session) } });
}
