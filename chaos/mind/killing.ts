// Kills agents, hosts and PostgreSQL at random moments, drawn from a seed, and starts each of them again.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../testkit/random.ts';
import type { Stack } from '../../testkit/stack/stack.ts';

type Options = {
  stack: Stack;
  random: Random;
  kills: number;
  /** How often the work has gone on so far. */
  progress(): number;
};

const everyMs = { from: 400, to: 2200 };
const downMs = { from: 50, to: 1200 };
const startAgainMs = 300;
/**
 * On a slow machine processes take longer to come back than kills to come: nothing would ever be at work when it is killed. So
 * the next kill waits for this much work, but not for ever.
 */
const atLeast = 2;
const goOnMs = 15_000;
/** The database is the one part that all others need, so it is killed less often. */
const parts = ['agent-1', 'agent-2', 'agent-1', 'agent-2', 'browser-1', 'browser-2', 'browser-1', 'postgres'];

export function startKilling({ stack, random, kills: most, progress }: Options) {
  const kills: string[] = [];
  const problems: string[] = [];
  const down = new Map<string, Promise<void>>();
  const closed = new AbortController();

  async function startAgain(part: string): Promise<void> {
    const deadline = performance.now() + 60_000;
    for (;;) {
      try {
        return await stack.start(part);
      } catch (error) {
        // What it needs may be away as well.
        if (performance.now() > deadline) throw error;
        await sleep(startAgainMs);
      }
    }
  }

  async function kill(part: string, signal: NodeJS.Signals, ms: number): Promise<void> {
    await stack.kill(part, signal);
    await sleep(ms);
    await startAgain(part);
  }

  async function goneOn(before: number): Promise<void> {
    const deadline = performance.now() + goOnMs;
    while (progress() < before + atLeast && performance.now() < deadline)
      await sleep(startAgainMs / 10, undefined, { signal: closed.signal });
  }

  const killing = (async () => {
    while (kills.length < most) {
      await sleep(random.between(everyMs.from, everyMs.to), undefined, { signal: closed.signal });
      const [part, isKill, ms] = [random.pick(parts), random.is(0.8), random.between(downMs.from, downMs.to)];
      if (down.has(part)) continue;
      kills.push(part);
      const again = kill(part, isKill ? 'SIGKILL' : 'SIGTERM', ms)
        .catch((error) => void problems.push(`${part}: ${error}`))
        .finally(() => down.delete(part));
      down.set(part, again);
      await goneOn(progress());
    }
  })().catch((error) => {
    if (!closed.signal.aborted) throw error;
  });

  return {
    /** The parts, in the order in which they were killed. */
    kills,
    problems,
    isOver: () => kills.length >= most,
    async close(): Promise<void> {
      closed.abort();
      await killing;
      await Promise.all(down.values());
    },
  };
}
