// Takes tasks that are due and runs each until it waits or ends. Only tasks at work take a place in this agent: one that
// waits is a row, and any agent takes it when it is due again.

import { setTimeout as sleep } from 'node:timers/promises';
import { createIdleMemory, type Log, span } from '@pilothouse/process';
import type { ClaimedRun, Store } from '@pilothouse/store';
import { Counter, Gauge, type Registry } from 'prom-client';
import { coalesce } from '../common/coalesce.ts';
import { always, type IsNeeded, startRepeating } from '../common/repeat.ts';
import { createTimers } from '../common/timers.ts';
import type { Next } from '../ledger/turn.ts';
import type { Run } from '../task/run.ts';
import { keyOf, startUnknownRuns } from './unknown-runs.ts';

type Options = {
  store: Store;
  agentId: string;
  /** How many tasks may be at work in this agent at once. */
  maxRuns: number;
  /** How often it looks although nobody said that work is due. */
  pollMs: number;
  startRun: (claimed: ClaimedRun) => Run;
  log: Log;
  metrics: Registry;
  isNeeded?: IsNeeded;
  checkMs?: number;
};

const maxAtOnce = 50;
const retryMs = 500;
const idleMemoryAfterMs = 5000;

export function startTaskQueue(options: Options) {
  const { store, agentId, maxRuns, pollMs, startRun, log, metrics, isNeeded = always, checkMs = 5000 } = options;
  const closed = new AbortController();
  const atWork = new Map<string, Promise<void>>();
  const onFailed = (error: unknown) => log.warn({ err: error }, 'could not look for tasks that are due');
  const looks = coalesce(look, onFailed);
  const later = createTimers(looks.run);
  const counted = exposeRuns({ metrics, maxRuns, atWork: () => atWork.size });
  const idleMemory = createIdleMemory({ afterMs: idleMemoryAfterMs });

  async function look(): Promise<void> {
    for (;;) {
      const limit = Math.min(maxAtOnce, maxRuns - atWork.size);
      if (limit <= 0 || closed.signal.aborted) return;
      const claimed = await store.queue.claim(agentId, limit);
      for (const one of claimed) begin(counted(one));
      if (claimed.length < limit) return;
    }
  }

  function begin(claimed: ClaimedRun): void {
    const key = keyOf(claimed);
    const done = runUntilWait(claimed)
      .catch((error) => log.error({ err: error, task_id: claimed.id }, 'a run ended with an error'))
      .finally(() => {
        atWork.delete(key);
        if (atWork.size === maxRuns - 1) looks.run();
        if (atWork.size === 0) idleMemory.start();
      });
    atWork.set(key, done);
    idleMemory.cancel();
  }

  async function runUntilWait(claimed: ClaimedRun): Promise<void> {
    const next = await tracedRun(claimed, agentId, () => tickUntilWait(startRun(claimed)));
    if (next !== 'done') await rest(claimed, next);
  }

  /**
   * Sent again until it is answered: a statement whose answer was lost may have worked, and then another agent may have the
   * task. So this run does nothing more with it, whatever comes.
   */
  async function rest(claimed: ClaimedRun, next: Exclude<Next, 'again' | 'done'>): Promise<void> {
    const { waitMs: afterMs, isForBrowser }: Partial<Exclude<typeof next, 'wait'>> = next === 'wait' ? {} : next;
    for (;;) {
      try {
        if (await store.queue.rest(claimed, { afterMs, isForBrowser })) looks.run();
        // Any agent would find the task within its interval; this one is there at the time.
        else if (afterMs !== undefined && !isForBrowser) later.after(afterMs);
        return;
      } catch (error) {
        log.warn({ err: error, task_id: claimed.id }, 'could not say that a task waits');
        if (closed.signal.aborted) return; // It is given back with the others.
        await sleep(retryMs, undefined, { signal: closed.signal }).catch(() => {});
      }
    }
  }

  const unknownRuns = startUnknownRuns({ store, agentId, isKnown: (key) => atWork.has(key), log, everyMs: checkMs });
  const poll = startRepeating(async () => void ((await isNeeded()) && looks.run()), pollMs, onFailed);

  return {
    /** Looks now, and not only at the next interval. */
    look: looks.run,
    /** Abort the signal of the runs before: they end, and their tasks are given back to other agents. */
    async close(): Promise<void> {
      closed.abort();
      later.close();
      idleMemory.cancel();
      await Promise.all([poll.close(), looks.close(), unknownRuns.close()]);
      await Promise.all(atWork.values());
      // If the database is away, other agents find that this one is gone.
      await store.queue.giveBack(agentId).catch((error) => log.debug({ err: error }, 'could not give tasks back'));
    },
  };
}
export type TaskQueue = ReturnType<typeof startTaskQueue>;

type LastOfRun = Exclude<Next, 'again'>;

async function tickUntilWait(run: Run): Promise<LastOfRun> {
  for (;;) {
    const next = await run.tick();
    if (next !== 'again') return next;
  }
}

/** Below what began the task, whichever agent runs it, and after any restart. Each run is a span, so that none waits for days. */
function tracedRun(claimed: ClaimedRun, agentId: string, work: () => Promise<LastOfRun>): Promise<LastOfRun> {
  const { id: task_id, run, traceparent: parent } = claimed;
  const traced = async ({ note }: { note: (said: { outcome: string }) => void }) => {
    const last = await work();
    note({ outcome: last === 'done' ? 'done' : 'waits' });
    return last;
  };
  return span('task.run', { task_id, run, kind: kindOf(claimed), agent_id: agentId }, traced, { parent });
}

/** `again`: the former run of the task did not end by itself. Its agent died, stopped, or never knew of it. */
const kindOf = ({ run, executionId }: ClaimedRun) => (run === 1 ? 'first' : executionId ? 'continued' : 'again');

type Runs = { metrics: Registry; maxRuns: number; atWork: () => number };

/** Returns what counts a run that was taken. */
function exposeRuns({ metrics, maxRuns, atWork }: Runs): (claimed: ClaimedRun) => ClaimedRun {
  new Gauge({
    name: 'pilothouse_agent_runs',
    help: 'Tasks at work in this agent, and how many may be.',
    labelNames: ['kind'],
    registers: [metrics],
    collect() {
      this.set({ kind: 'at_work' }, atWork());
      this.set({ kind: 'limit' }, maxRuns);
    },
  });
  const taken = new Counter({
    name: 'pilothouse_runs_taken_total',
    help: 'Runs of tasks that this agent took: the first, after a wait, or again because the former was lost.',
    labelNames: ['kind'],
    registers: [metrics],
  });
  for (const kind of ['first', 'continued', 'again']) taken.inc({ kind }, 0);
  return (claimed) => {
    taken.inc({ kind: kindOf(claimed) });
    return claimed;
  };
}
