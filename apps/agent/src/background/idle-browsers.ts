// Parks browsers that are not in use, closes those that hosts should not have, and marks browsers whose host is gone as cold.
// Every agent looks; each change is one conditional statement, so one agent makes it.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus } from '@pilothouse/bus';
import { createHostClient, setCold } from '@pilothouse/fleet';
import type { Log } from '@pilothouse/process';
import type { IdleBrowser, Orphan, Store } from '@pilothouse/store';
import { createParker } from '../browsers/park.ts';
import { createLanes } from '../common/lanes.ts';
import { startRepeating } from '../common/repeat.ts';
import { createUnknownSessions } from './unknown-sessions.ts';

type Options = {
  bus: Bus;
  store: Store;
  log: Log;
  idleMs: number;
  /** How long a browser stays open for a task that waits for a person. */
  waitMs?: number;
  everyMs?: number;
};
type Job = { held: IdleBrowser; why: 'unused' | 'waits' } | { held: Orphan; why: 'orphan' };

/** A host that is well answers at once: it only counts its sessions. */
const statusMs = 3000;
/** Requests of this agent that are under way at one host. */
const atOncePerHost = 2;
/** How long a look waits for hosts before it leaves them to their lanes, and the next look comes. */
const patienceMs = 2000;

export function startIdleBrowsers({ bus, store, log, idleMs, waitMs = idleMs, everyMs = 5000 }: Options) {
  const hosts = createHostClient(bus);
  const parker = createParker({ bus, store, log });
  const unknown = createUnknownSessions({ log });
  const onFailed = (error: unknown) => log.warn({ err: error }, 'could not look for idle browsers');
  const lanes = createLanes({ atOnce: atOncePerHost, onFailed });

  /** Asks the host itself: its heartbeat is seconds old. */
  async function park(held: IdleBrowser, { isWaiting }: { isWaiting: boolean }): Promise<boolean> {
    const result = await hosts.status(held.hostId, { timeoutMs: statusMs });
    if (result.type !== 'done') return result.type !== 'unanswered';
    const at = result.reply.status?.sessions.find(({ session_id }) => session_id === held.sessionId);
    // An agent looks at the page of a waiting task every two seconds, so its idle time says nothing.
    const isInUse = !at || (!held.isEmptied && (at.is_watched || (!isWaiting && at.idle_ms < idleMs)));
    return isInUse || parker.park(held, { isWaiting });
  }

  const work = ({ why, held }: Job): Promise<boolean> =>
    why === 'orphan' ? parker.closeOrphan(held) : park(held, { isWaiting: why === 'waits' });

  async function markGone(sessionId: string): Promise<void> {
    await store.change(sessionId, async (tx, append) => {
      if (await store.browsers.releaseGone(tx, sessionId)) await setCold(store, tx, append, sessionId);
    });
    log.info({ session_id: sessionId }, 'the host of a browser is gone');
  }

  /** Each kind is ordered by age. */
  async function jobs(): Promise<Job[]> {
    const unused = await store.browsers.unused(idleMs);
    const waiting = await store.browsers.waitingTooLong(waitMs);
    // Left by an agent that died between the new epoch and the close, or by a host that was given up too early.
    const orphans = unknown.untried(await store.browsers.orphans());
    return [
      ...unused.map((held) => ({ held, why: 'unused' }) as const),
      ...waiting.map((held) => ({ held, why: 'waits' }) as const),
      ...orphans.map((held) => ({ held, why: 'orphan' }) as const),
    ];
  }

  async function look(): Promise<void> {
    const byHost = Map.groupBy(await jobs(), ({ held }) => held.hostId);
    const atHosts = [...byHost].map(([hostId, own]) => lanes.run(hostId, own, work));
    for (const sessionId of await store.browsers.withoutHost()) await markGone(sessionId).catch(onFailed);
    await Promise.race([Promise.all(atHosts), sleep(patienceMs, undefined, { ref: false })]);
  }

  const looks = startRepeating(look, everyMs, onFailed);
  return {
    async close() {
      await looks.close();
      await lanes.close();
    },
  };
}
