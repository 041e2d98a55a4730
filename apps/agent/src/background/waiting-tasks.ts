// Tasks that wait for a person. Ends the wait when the page shows what was waited for or a person watches, and fails tasks whose question expired.

import type { Log } from '@pilothouse/process';
import type { PageWait, Store } from '@pilothouse/store';
import type { Browsers } from '../browsers/browsers.ts';
import { always, type IsNeeded, startRepeating } from '../common/repeat.ts';
import type { Ledger } from '../ledger/ledger.ts';

type Options = { store: Store; browsers: Browsers; ledger: Ledger; log: Log; isNeeded?: IsNeeded; everyMs?: number };

/** How long a host looks for it: the look changes nothing in the page, and no task is held up by it. */
const glanceMs = 1000;
const atOnce = 8;

export function startWaitingTasks({ store, browsers, ledger, log, isNeeded = always, everyMs = 2000 }: Options) {
  const closed = new AbortController();

  async function lookAt(wait: PageWait): Promise<void> {
    const { sessionId, hostId, epoch, until } = wait;
    const step = { action: 'wait', for: until } as const;
    const command = { step, deadlineMs: glanceMs, bring: [], signal: closed.signal };
    const outcome = await browsers.act(sessionId, { hostId, epoch }, command);
    if (outcome.type === 'acted') await ledger.settled(wait);
  }

  async function look(): Promise<void> {
    if (!(await isNeeded())) return;
    const waits = await store.waits.takeUnlooked(everyMs);
    for (let begin = 0; begin < waits.length; begin += atOnce) {
      await Promise.all(waits.slice(begin, begin + atOnce).map(lookAt));
    }
    for (const watched of await store.waits.watched()) await ledger.settled(watched, 'A person watches.');
    for (const expired of await store.waits.expired()) {
      const end = { move: 'fail', reason: 'No answer came in time.' } as const;
      // A person may have answered since the look: then the task goes on.
      const isOver = await ledger.endTask({ ...expired, unanswered: expired.askedAt }, end);
      if (isOver) log.info({ task_id: expired.id }, 'a question expired');
    }
  }

  const rounds = startRepeating(look, everyMs, (error) => log.warn({ err: error }, 'could not look at waiting tasks'));
  return {
    async close() {
      closed.abort();
      await rounds.close();
    },
  };
}
