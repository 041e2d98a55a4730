// Opens the browsers of sessions to which programs are connected and that have none: cold sessions, and browsers that were
// lost. Ends tasks of programs whose server is gone. Every agent looks; which of them does it is decided by the database.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@pilothouse/process';
import type { Store } from '@pilothouse/store';
import type { Browsers } from '../browsers/browsers.ts';
import { launchOptionsAsBefore } from '../browsers/launch-options.ts';
import { always, type IsNeeded, startRepeating } from '../common/repeat.ts';

type Options = { store: Store; browsers: Browsers; log: Log; isNeeded?: IsNeeded; everyMs?: number };

const openMs = 30_000;
/** What failed leaves its place in the next looks to others for this long. */
const afterFailureMs = 2000;

export function startPrograms({ store, browsers, log, isNeeded = always, everyMs = 500 }: Options) {
  const closed = new AbortController();
  const underWay = new Map<string, Promise<void>>();

  async function open(sessionId: string): Promise<void> {
    const [session, browser] = await Promise.all([store.sessions.byId(sessionId), store.browsers.of(sessionId)]);
    if (!session || session.status === 'closed') return;
    const signal = AbortSignal.any([closed.signal, AbortSignal.timeout(openMs)]);
    await browsers.ensure(launchOptionsAsBefore(session, browser?.reach), { isPerson: false, signal });
  }

  function openOnce(sessionId: string): void {
    const done = open(sessionId)
      .catch(async (error) => {
        if (closed.signal.aborted) return;
        log.warn({ err: error, session_id: sessionId }, 'could not open a browser for a program');
        await sleep(afterFailureMs, undefined, { signal: closed.signal }).catch(() => {});
      })
      .finally(() => underWay.delete(sessionId));
    underWay.set(sessionId, done);
  }

  async function look(): Promise<void> {
    if (!(await isNeeded())) return;
    for (const sessionId of await store.programs.unattended([...underWay.keys()])) openOnce(sessionId);
    for (const { id, sessionId } of await store.programTasks.unattended())
      await store.change(sessionId, (tx, append) => store.programTasks.lost(tx, append, id));
  }

  const rounds = startRepeating(look, everyMs, (error) => log.warn({ err: error }, 'could not look for programs'));
  return {
    async close() {
      closed.abort();
      await rounds.close();
      await Promise.all(underWay.values());
    },
  };
}
