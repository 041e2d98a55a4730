// Who goes first when processors are short: what servers, agents and hosts have to answer, then browsers. A session that yields runs in
// what the others leave.

import { readdirSync, writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** So much further down than this host is every browser from its start: it has a third of the weight. With processors to spare it
 * changes nothing. */
export const browserNice = 5;
/** Far behind the others, but not the very last: on a busy machine those get nothing at all, and cannot even end. */
const yieldingNice = 15;
const last = 19;

/** Counted from this host, which may run at a priority of its own. */
const behindHost = (nice: number) => Math.min(last, getPriority() + nice);

export type LowPriority = {
  /** Puts these processes behind all others, and those they began meanwhile. */
  apply(pids: number[]): void;
  /** Puts them back. Only root can raise threads again: of another's host, they stay last and their group comes back. */
  undo(pids: number[]): void;
};

export function createLowPriority(): LowPriority {
  const before = new Map<number, number>();

  return {
    apply(pids) {
      const later = behindHost(yieldingNice);
      for (const pid of pids) {
        setGroup(pid, yieldingNice);
        for (const thread of threadsOf(pid)) {
          attempt(() => {
            const now = getPriority(thread);
            if (now >= later) return;
            before.set(thread, now);
            setPriority(thread, later);
          });
        }
      }
    },
    undo(pids) {
      const usual = behindHost(browserNice);
      for (const pid of pids) {
        setGroup(pid, browserNice);
        for (const thread of threadsOf(pid)) attempt(() => setPriority(thread, before.get(thread) ?? usual));
      }
      before.clear();
    },
  };
}

/** Where the kernel groups processes by their terminal session, it weighs the groups and not the processes in them. */
const setGroup = (pid: number, nice: number) => attempt(() => writeFileSync(`/proc/${pid}/autogroup`, `${nice}`));

function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [];
  }
}

/** What is gone meanwhile, or not ours to change, stays as it is. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {}
}
