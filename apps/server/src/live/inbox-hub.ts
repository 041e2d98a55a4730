// What waits for the users who watch their inbox at this server. One statement for all of them, and none without a watcher.

import type { Log } from '@pilothouse/process';
import { type Caller, type InboxState, inboxKeyOf, type Store } from '@pilothouse/store';
import { Counter, type Registry } from 'prom-client';
import type { Lifetime } from './event-hub.ts';

type Options = { store: { tasks: Pick<Store['tasks'], 'inboxStates'> }; log: Log; metrics: Registry };
type Watcher = {
  /** The version that it was told last; undefined if it knows none. */
  version: string | undefined;
  /** Whether its inbox was looked at since it came. */
  isGreeted: boolean;
  onState: (state: InboxState) => void;
};

/** The longest delay of a change. */
const everyMs = 500;
/** Watchers that come within this time are looked up together. */
const soonMs = 20;

/**
 * PostgreSQL is asked, and not the bus: a question may be asked by any agent in any session, and a message could be lost.
 * Every server sees the same states, so a watcher may go on at any of them.
 */
export function createInboxHub({ store, log, metrics }: Options) {
  const watched = new Map<string, Set<Watcher>>();
  const looks = createLookCounter(metrics);
  let regular: NodeJS.Timeout | undefined;
  let soon: NodeJS.Timeout | undefined;
  let lastLook: Promise<void> = Promise.resolve();

  async function look(isWanted: (watcher: Watcher) => boolean): Promise<void> {
    const asked = [...watched].filter(([, watchers]) => [...watchers].some(isWanted));
    if (asked.length === 0) return;
    // A watcher that comes during the statement may know a newer state than it brings.
    const present = asked.map(([key, watchers]) => [key, [...watchers]] as const);
    looks.inc();
    const states = await store.tasks.inboxStates(present.map(([key]) => key));
    for (const [key, watchers] of present) {
      const state = states.get(key);
      if (state) for (const watcher of watchers) tell(watcher, state);
    }
  }
  /** One after another, so that a watcher is told states in their order. */
  function lookNow(isWanted: (watcher: Watcher) => boolean): Promise<void> {
    lastLook = lastLook
      .then(() => look(isWanted))
      .catch((error) => log.warn({ err: error }, 'could not ask what waits for users'));
    return lastLook;
  }
  /** The next look is planned when one is over: a slow database is not asked more often than it answers. */
  function lookRegularly(): void {
    regular = setTimeout(() => {
      void lookNow(() => true).then(() => {
        regular = undefined;
        if (watched.size > 0) lookRegularly();
      });
    }, everyMs);
  }
  function lookSoon(): void {
    soon ??= setTimeout(() => {
      soon = undefined;
      void lookNow(({ isGreeted }) => !isGreeted);
    }, soonMs);
    if (!regular) lookRegularly();
  }
  function leave(key: string, watcher: Watcher): void {
    const watchers = watched.get(key);
    watchers?.delete(watcher);
    if (watchers?.size === 0) watched.delete(key);
  }

  return {
    /** Tells the present state, unless it has this version, and each later one, until the end. */
    watch(caller: Caller, version: string | undefined, onState: Watcher['onState'], lifetime: Lifetime): void {
      if (lifetime.isEnded()) return;
      const key = inboxKeyOf(caller);
      const watcher = { version, isGreeted: false, onState };
      const watchers = watched.get(key) ?? new Set();
      watched.set(key, watchers.add(watcher));
      lifetime.onEnd(() => leave(key, watcher));
      lookSoon();
    },

    close() {
      watched.clear();
      clearTimeout(regular);
      clearTimeout(soon);
    },
  };
}
export type InboxHub = ReturnType<typeof createInboxHub>;

function tell(watcher: Watcher, state: InboxState): void {
  watcher.isGreeted = true;
  if (watcher.version === state.version) return;
  watcher.version = state.version;
  watcher.onState(state);
}

const createLookCounter = (metrics: Registry) =>
  new Counter({
    name: 'pilothouse_inbox_looks_total',
    help: 'Statements that ask what waits for the users who watch their inbox.',
    registers: [metrics],
  });
