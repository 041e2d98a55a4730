// A host that is told to end waits until its sessions have left. First it takes no more, and agents park what rests; tasks may
// finish in their pages. For the second half of the time it asks for what still works to be opened elsewhere, between two steps.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@pilothouse/process';
import type { Lease } from './lease.ts';

type Options = {
  drainMs: number;
  log: Log;
  /** The lease asks what to tell from its first moment on, so it is made later. */
  lease: () => Pick<Lease, 'isHeld' | 'tellNow'>;
  countSessions: () => number;
  everyMs?: number;
};
type Stage = 'stays' | 'takes none' | 'leaves';

export function createDeparture({ drainMs, log, lease, countSessions, everyMs = 100 }: Options) {
  let stage: Stage = 'stays';

  function enter(next: Stage): void {
    stage = next;
    log.info({ sessions: countSessions(), stage }, 'this host is about to end');
    lease().tellNow();
  }

  /** Ends early where no agent would hear it: nobody takes the sessions then. */
  async function waitForEmpty(ms: number, signal: AbortSignal): Promise<void> {
    const end = performance.now() + ms;
    const mayWait = () => lease().isHeld() && !signal.aborted && performance.now() < end;
    while (countSessions() > 0 && mayWait()) await sleep(everyMs);
  }

  return {
    isBegun: () => stage !== 'stays',

    /** What heartbeats say beside the rest. */
    tell: () => (stage === 'stays' ? {} : { capacity: 0, is_leaving: stage === 'leaves' }),

    /** Resolves when the sessions have left, the time is over, or the signal is aborted. */
    async begin(signal: AbortSignal): Promise<void> {
      if (drainMs === 0 || countSessions() === 0) return;
      enter('takes none');
      await waitForEmpty(drainMs / 2, signal);
      if (countSessions() === 0 || signal.aborted) return;
      enter('leaves');
      await waitForEmpty(drainMs / 2, signal);
      if (countSessions() > 0) log.warn({ sessions: countSessions() }, 'sessions did not leave in time');
    },
  };
}
