// Parks browsers that are not in use, and marks browsers whose host is gone as cold. Every agent looks; each change is one
// conditional statement, so one agent makes it.

import type { Bus } from '@pilothouse/bus';
import { type BrowserHold, createHostClient, setCold } from '@pilothouse/fleet';
import type { Log } from '@pilothouse/process';
import type { Store } from '@pilothouse/store';
import { createParker } from '../browsers/park.ts';
import { startRepeating } from '../common/repeat.ts';

type Options = {
  bus: Bus;
  store: Store;
  log: Log;
  idleMs: number;
  /** How long a browser stays open for a task that waits for a person. */
  waitMs?: number;
  everyMs?: number;
};

const statusMs = 15_000;

export function startIdleBrowsers({ bus, store, log, idleMs, waitMs = idleMs, everyMs = 5000 }: Options) {
  const hosts = createHostClient(bus);
  const parker = createParker({ bus, store, log });

  /** Asks the host itself: its heartbeat is seconds old. */
  async function isInUse({ sessionId, hostId }: BrowserHold, isWaiting: boolean): Promise<boolean> {
    const result = await hosts.status(hostId, { timeoutMs: statusMs });
    if (result.type !== 'done') return true;
    const held = result.reply.status?.sessions.find(({ session_id }) => session_id === sessionId);
    // An agent looks at the page of a waiting task every two seconds, so its idle time says nothing.
    return !held || held.is_watched || (!isWaiting && held.idle_ms < idleMs);
  }

  async function park(held: BrowserHold, how: { isWaiting: boolean }): Promise<void> {
    if (!(await isInUse(held, how.isWaiting))) await parker.park(held, how);
  }

  async function markGone(sessionId: string): Promise<void> {
    await store.change(sessionId, async (tx, append) => {
      if (await store.browsers.releaseGone(tx, sessionId)) await setCold(store, tx, append, sessionId);
    });
    log.info({ session_id: sessionId }, 'the host of a browser is gone');
  }

  async function look(): Promise<void> {
    for (const held of await store.browsers.unused(idleMs)) await park(held, { isWaiting: false });
    for (const held of await store.browsers.waitingTooLong(waitMs)) await park(held, { isWaiting: true });
    // Left by an agent that died between the new epoch and the close, or by a host that was given up too early.
    for (const held of await store.browsers.orphans()) await parker.closeAt(held);
    for (const sessionId of await store.browsers.withoutHost()) await markGone(sessionId);
  }

  return startRepeating(look, everyMs, (error) => log.warn({ err: error }, 'could not look for idle browsers'));
}
