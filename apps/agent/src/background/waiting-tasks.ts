// Tasks that wait for a person, seen by every agent: the page may show that the wait is over, or the time may be up.

import type { Log } from '@pilothouse/process';
import type { PageWait, Store, Work } from '@pilothouse/store';
import type { Hands } from './hands.ts';
import type { Record } from './record.ts';
import { startRounds } from './rounds.ts';

type Options = { store: Store; hands: Hands; record: Record; work: Work; log: Log; everyMs?: number };

/** A wait that is over at once where the page shows nothing: it touches nothing, and nobody waits for it. */
const glanceMs = 1000;
const atOnce = 8;

export function startSweep({ store, hands, record, work, log, everyMs = 2000 }: Options) {
  const closed = new AbortController();

  async function lookAt(wait: PageWait): Promise<void> {
    const { id, sessionId, hostId, epoch, until } = wait;
    const step = { action: 'wait', for: until } as const;
    const command = { step, deadlineMs: glanceMs, bring: [], signal: closed.signal };
    const outcome = await hands.act(sessionId, { hostId, epoch }, command);
    if (outcome.type === 'acted') await record.shown(wait, (tx) => work.signal(tx, { id }));
  }

  async function look(): Promise<void> {
    const waits = await store.waits.takeUnlooked(everyMs);
    for (let begin = 0; begin < waits.length; begin += atOnce) {
      await Promise.all(waits.slice(begin, begin + atOnce).map(lookAt));
    }
    for (const expired of await store.waits.expired()) {
      const end = { move: 'fail', reason: 'Nobody answered its question in time.' } as const;
      // Somebody may have answered since we looked: then it goes on.
      const isOver = await record.end({ ...expired, unanswered: expired.askedAt }, end, (tx) =>
        work.signal(tx, expired),
      );
      if (isOver) log.info({ task_id: expired.id }, 'nobody answered a task in time');
    }
  }

  const rounds = startRounds(look, everyMs, (error) => log.warn({ err: error }, 'could not look at tasks that wait'));
  return {
    async close() {
      closed.abort();
      await rounds.close();
    },
  };
}
