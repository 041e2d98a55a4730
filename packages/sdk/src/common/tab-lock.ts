import type { Clock } from './clock.ts';
import type { TokenStorage } from './kept-tokens.ts';

/** What `navigator.locks` is. */
export type Locks = {
  request<T>(name: string, options: { signal?: AbortSignal }, task: () => Promise<T>): Promise<T>;
};

/** Those of the browser; absent on pages of plain HTTP, and unknown to the types that the SDK is compiled with. */
export function findLocks(): Locks | undefined {
  return (globalThis as { navigator?: { locks?: Locks } }).navigator?.locks;
}

/** `stillHere` says that the holder lives: to be called at least every {@link leaseMs} while the task goes on. */
export type LockedTask = (stillHere: () => void) => Promise<void>;

/** Runs a task while no other tab runs one. Aborting ends the wait for the lock, not a task that has begun. */
export type TabLock = (task: LockedTask, signal: AbortSignal) => Promise<void>;

/** Shorter than the time the server lets a lost refresh be repeated, so that another tab can repeat a dead one's. */
export const leaseMs = 6000;

/** Long enough for two tabs that saw the lock free at the same moment to see which of them wrote last. */
const settleMs = 50;

export function createBrowserLock(locks: Locks, name: string): TabLock {
  return async (task, signal) => locks.request(name, { signal }, () => task(() => {}));
}

type Place = { storage: TokenStorage; key: string; clock: Clock; random: () => number };

/**
 * For browsers without `navigator.locks`, such as on plain HTTP. A storage cannot compare and write in one go, so in
 * rare cases two may hold it; the server answers both of them with the same tokens.
 */
export function createStorageLock({ storage, key, clock, random }: Place): TabLock {
  const own = random().toString(36).slice(2);
  const isOwn = () => readHolder(storage.getItem(key))?.owner === own;
  const write = () => storage.setItem(key, JSON.stringify({ owner: own, until: clock.now() + leaseMs }));
  const isFree = () => {
    const holder = readHolder(storage.getItem(key));
    // One that holds for longer than it may was written before the clock was set back.
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
