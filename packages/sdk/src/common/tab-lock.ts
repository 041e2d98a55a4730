// A lock between tabs, by `navigator.locks` or in a storage.

import type { Clock } from './clock.ts';
import type { TokenStorage } from './kept-tokens.ts';

/** The part of `navigator.locks` that the SDK uses. */
export type Locks = {
  request<T>(name: string, options: { signal?: AbortSignal }, task: () => Promise<T>): Promise<T>;
};

/** Absent on pages of plain HTTP, and not in the types that the SDK is compiled with. */
export function findLocks(): Locks | undefined {
  return (globalThis as { navigator?: { locks?: Locks } }).navigator?.locks;
}

/** The task calls `stillHere` at least every {@link leaseMs} to keep the lock. */
export type LockedTask = (stillHere: () => void) => Promise<void>;

/** Runs a task while no other tab runs one. An abort ends the wait for the lock, not a task that has begun. */
export type TabLock = (task: LockedTask, signal: AbortSignal) => Promise<void>;

/**
 * Shorter than the time in which the server accepts a repeated refresh, so that another tab can repeat one that was
 * lost.
 */
export const leaseMs = 6000;

/** Long enough for two tabs that found the lock free at the same moment to see which of them wrote last. */
const settleMs = 50;

function createBrowserLock(locks: Locks, name: string): TabLock {
  return async (task, signal) => locks.request(name, { signal }, () => task(() => {}));
}

/** Tokens that no other tab has need no lock. */
export const alone: TabLock = async (task, signal) => {
  signal.throwIfAborted();
  await task(() => {});
};

export function createLock(
  storage: TokenStorage | undefined,
  { key, locks, clock }: { key: string; locks: Locks | null | undefined; clock: Clock },
): TabLock {
  const name = `${key} lock`;
  if (locks) return createBrowserLock(locks, name);
  return storage ? createStorageLock({ storage, key: name, clock, random: Math.random }) : alone;
}

export function findLocalStorage(): TokenStorage | undefined {
  try {
    return (globalThis as { localStorage?: TokenStorage }).localStorage;
  } catch {
    // The browser may forbid it to the page.
    return undefined;
  }
}

type StorageLockOptions = { storage: TokenStorage; key: string; clock: Clock; random: () => number };

/**
 * For browsers without `navigator.locks`, such as on plain HTTP. A storage has no compare-and-set, so in rare cases two
 * tabs hold the lock; the server answers both with the same tokens.
 */
export function createStorageLock({ storage, key, clock, random }: StorageLockOptions): TabLock {
  const own = random().toString(36).slice(2);
  const isOwn = () => readHolder(storage.getItem(key))?.owner === own;
  const write = () => storage.setItem(key, JSON.stringify({ owner: own, until: clock.now() + leaseMs }));
  const isFree = () => {
    const holder = readHolder(storage.getItem(key));
    // A longer lease than allowed was written before the clock was set back.
    return !holder || holder.until <= clock.now() || holder.until > clock.now() + leaseMs;
  };

  const acquire = async (signal: AbortSignal) => {
    for (;;) {
      signal.throwIfAborted();
      if (isFree()) {
        write();
        await clock.sleep(settleMs, signal);
        if (isOwn()) return;
      }
      await clock.sleep(settleMs * (1 + random()), signal);
    }
  };

  return async (task, signal) => {
    try {
      await acquire(signal);
      await task(() => {
        if (isOwn()) write();
      });
    } finally {
      if (isOwn()) storage.removeItem(key);
    }
  };
}

function readHolder(text: string | null): { owner: string; until: number } | undefined {
  try {
    const { owner, until } = JSON.parse(text ?? '');
    return { owner: String(owner), until: Number(until) || 0 };
  } catch {
    return undefined;
  }
}
