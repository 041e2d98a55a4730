// Takeovers that no running task handles: of sessions without a task, of interrupted tasks, of browsers lost while a person
// drove, and takeovers that expired. Every agent looks; each change is one conditional statement, so one agent makes it.

import type { Log } from '@pilothouse/process';
import type { Store } from '@pilothouse/store';
import type { Browsers } from '../browsers/browsers.ts';
import { startRepeating } from '../common/repeat.ts';
import { createTakeoverExpiry } from './takeover-expiry.ts';
import { createTakeoverStart } from './takeover-start.ts';

type Options = { store: Store; browsers: Browsers; log: Log; everyMs?: number };
type HostWithOldDriver = Awaited<ReturnType<Store['browsers']['hostsWithOldDriver']>>[number];

export function startTakeovers({ store, browsers, log, everyMs = 500 }: Options) {
  const closed = new AbortController();
  const attend = createTakeoverStart({ store, browsers, signal: closed.signal });
  const takeBack = createTakeoverExpiry({ store, browsers, log });
  /** Work under way, by takeover or session: opening a browser or reaching a host may take long. */
  const underWay = new Map<string, Promise<void>>();

  /** Starts work without waiting for it, unless it is under way already. */
  function startOnce(key: string, work: () => Promise<void>): void {
    if (underWay.has(key)) return;
    const done = work()
      .catch((error) => {
        if (!closed.signal.aborted) log.warn({ err: error, id: key }, 'could not handle a takeover');
      })
      .finally(() => underWay.delete(key));
    underWay.set(key, done);
  }

  /** The process that changed the driver may have died before it told the host. */
  async function catchUp({ sessionId, isPerson, ...handle }: HostWithOldDriver): Promise<void> {
    await browsers.setDriver(sessionId, handle, { isPerson });
  }

  async function look(): Promise<void> {
    for (const expired of await store.takeovers.expired()) startOnce(expired.id, () => takeBack(expired));
    for (const behind of await store.browsers.hostsWithOldDriver()) startOnce(behind.sessionId, () => catchUp(behind));
    for (const one of await store.takeovers.unattended()) {
      startOnce(one.id, () => attend(one));
    }
  }

  const rounds = startRepeating(look, everyMs, (error) => log.warn({ err: error }, 'could not look for takeovers'));
  return {
    async close() {
      closed.abort();
      await rounds.close();
      await Promise.all(underWay.values());
    },
  };
}
