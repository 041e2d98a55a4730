// Takeovers that no running task handles: of sessions without a task, of interrupted tasks, of browsers lost while a person
// drove, and takeovers that expired. Every agent looks; each change is one conditional statement, so one agent makes it.

import { setTimeout as sleep } from 'node:timers/promises';
import { isId } from '@pilothouse/contract';
import type { Log } from '@pilothouse/process';
import type { Store } from '@pilothouse/store';
import type { Browsers } from '../browsers/browsers.ts';
import { always, type IsNeeded, startRepeating } from '../common/repeat.ts';
import { createTakeoverExpiry } from './takeover-expiry.ts';
import { createTakeoverStart } from './takeover-start.ts';

type Options = {
  store: Store;
  browsers: Browsers;
  log: Log;
  isNeeded?: IsNeeded;
  /** Whether hosts have browsers, whose drivers they may not know. */
  hasBrowsers?: IsNeeded;
  everyMs?: number;
};
/** What failed leaves its place in the next looks to others for this long. */
const afterFailureMs = 2000;
/** Heartbeats of hosts come every two seconds. */
const looksPerHeartbeat = 4;

type HostWithOldDriver = Awaited<ReturnType<Store['browsers']['hostsWithOldDriver']>>[number];

export function startTakeovers(options: Options) {
  const { store, browsers, log, isNeeded = always, hasBrowsers = always, everyMs = 500 } = options;
  const closed = new AbortController();
  const attend = createTakeoverStart({ store, browsers, signal: closed.signal });
  const takeBack = createTakeoverExpiry({ store, browsers, log });
  /** Work under way, by takeover or session: opening a browser or reaching a host may take long. */
  const underWay = new Map<string, Promise<void>>();

  /** Starts work without waiting for it, unless it is under way already, or failed a moment ago. */
  function startOnce(key: string, work: () => Promise<void>): void {
    if (underWay.has(key)) return;
    const done = work()
      .catch(async (error) => {
        if (closed.signal.aborted) return;
        log.warn({ err: error, id: key }, 'could not handle a takeover');
        await sleep(afterFailureMs, undefined, { signal: closed.signal }).catch(() => {});
      })
      .finally(() => underWay.delete(key));
    underWay.set(key, done);
  }

  /** The process that changed the driver may have died before it told the host. */
  async function catchUp({ sessionId, isPerson, ...handle }: HostWithOldDriver): Promise<void> {
    await browsers.setDriver(sessionId, handle, { isPerson });
  }

  async function look(): Promise<void> {
    if (!(await isNeeded())) return;
    // Those under way are left out of the look: it has a limit, and they would hide the others.
    const handled = [...underWay.keys()].filter(isId);
    for (const expired of await store.takeovers.expired(handled)) startOnce(expired.id, () => takeBack(expired));
    for (const one of await store.takeovers.unattended(handled)) {
      startOnce(one.id, () => attend(one));
    }
  }

  async function lookAtDrivers(): Promise<void> {
    if (!(await hasBrowsers())) return;
    for (const behind of await store.browsers.hostsWithOldDriver()) startOnce(behind.sessionId, () => catchUp(behind));
  }

  const onFailed = (error: unknown) => log.warn({ err: error }, 'could not look for takeovers');
  const rounds = [
    startRepeating(look, everyMs, onFailed),
    // A host tells with its heartbeats which drivers it knows: to look more often than these come would tell nothing.
    startRepeating(lookAtDrivers, looksPerHeartbeat * everyMs, onFailed),
  ];
  return {
    async close() {
      closed.abort();
      await Promise.all(rounds.map((one) => one.close()));
      await Promise.all(underWay.values());
    },
  };
}
