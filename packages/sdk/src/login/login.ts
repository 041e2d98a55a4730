// A login: keeps its tokens, renews them, and shares them between tabs.

import type { LoginRequest, User } from '@pilothouse/contract';
import { type Client, type ClientOptions, createClient } from '../client/client.ts';
import { type Clock, systemClock } from '../common/clock.ts';
import {
  createKeptTokens,
  createMemoryStorage,
  type TokenStorage,
  type Tokens,
  toTokens,
} from '../common/kept-tokens.ts';
import { createBrowserLock, createStorageLock, findLocks, type Locks, type TabLock } from '../common/tab-lock.ts';
import { readReply } from './refresh.ts';
import { createRenewal, isUnauthorized } from './renewal.ts';
import { joinTabs } from './tabs.ts';
import { createUserListeners, type UserListener } from './user-listeners.ts';

export type LoginOptions = Pick<ClientOptions, 'baseUrl' | 'timeoutMs' | 'fetch'> & {
  /**
   * Where the tokens are stored. Everything that uses the same storage shares one login. With `localStorage`, the user
   * stays logged in over reloads and in every tab; but every script of the page can read it. By default the tokens are
   * in memory, and end with the page or the program.
   */
  storage?: TokenStorage;
  /** The key in the storage. By default one for each server. */
  storageKey?: string;
  /**
   * Lets one tab at a time renew the tokens in `storage`. By default `navigator.locks`. With `null`, or if there are
   * none, a lock in the storage itself is used; processes that share a storage need that, because locks in Node do not
   * reach beyond the process.
   */
  locks?: Locks | null;
  /**
   * In browsers: whether all tabs that share this login follow their streams over one connection, which leaves the
   * other connections for plain requests. Only tabs with the same `localStorage` share a login. See `sharedAs` of the
   * client.
   */
  sharesStreams?: boolean;
  clock?: Clock;
};

/** A login, and the client that uses it. */
export type ClientLogin = {
  /**
   * A client whose calls and streams send the access token, renew it in time, and are sent once more if the server
   * refuses it. When the login has ended they throw `ApiError` with `token_invalid` or `token_expired`, and
   * `token_missing` from then on. A renewal that fails for now throws what other calls throw: `ConnectionError`, or
   * `ApiError` with `rate_limited` or `overloaded`. The login survives that, and so do streams, which try again.
   */
  client: Client;
  /**
   * Logs in, and replaces the present login. Throws `ApiError` with `invalid_credentials`, `validation_failed`,
   * `rate_limited` or `overloaded` (see `retryAfterSecs`), and `ConnectionError`; then the present login stays.
   */
  login(credentials: LoginRequest): Promise<User>;
  /**
   * Removes the tokens at once, in every tab, and then ends the login on the server. Throws `ConnectionError` or
   * `ApiError` if that failed: the tokens are removed all the same, but on the server the login lasts until it expires.
   */
  logout(): Promise<void>;
  /** The user, as of the last renewal; the same object until something about them changes. */
  user(): User | undefined;
  /** Whether there are tokens. Only the next call shows whether the server still accepts them. */
  isLoggedIn(): boolean;
  /** Calls the listener when a user logs in or out, in this tab or another. Returns a function that removes it. */
  onChange(listener: UserListener): () => void;
  /**
   * Stops renewing and listening, without logging out. Resolves when a renewal that is under way has been stored. Calls
   * that need a renewal after this throw an `Error`.
   */
  close(): Promise<void>;
};

/**
 * Logs in and stays logged in, for programs and for pages in many tabs. Nothing runs in the background: tokens are
 * renewed when a call needs them, once for all calls and all tabs.
 */
export function createLogin({
  baseUrl,
  timeoutMs,
  fetch,
  storage,
  storageKey: key = `pilothouse.login ${new URL(baseUrl).origin}`,
  locks = findLocks(),
  sharesStreams = false,
  clock = systemClock,
}: LoginOptions): ClientLogin {
  const plain = createClient({ baseUrl, timeoutMs, fetch });
  const kept = createKeptTokens(storage ?? createMemoryStorage(), key);
  const lock = storage ? createLock(storage, { key, locks, clock }) : alone;
  const closing = new AbortController();
  const listeners = createUserListeners(kept);
  const tabs = storage ? joinTabs(key, listeners.update) : undefined;

  const keep = (tokens: Tokens | undefined) => {
    if (tokens) kept.write(tokens);
    else kept.forget();
    listeners.update();
    tabs?.tell();
  };

  /** Ends a login on the server. One that the server does not know has ended already. */
  const end = async ({ access_token, refresh_token }: Tokens) => {
    const headers = { authorization: `Bearer ${access_token}` };
    await plain.logout({ refresh_token }, { headers }).catch((error: unknown) => {
      if (!isUnauthorized(error)) throw error;
    });
  };

  const renewal = createRenewal({ client: plain, kept, keep, end, lock, clock, signal: closing.signal });
  // A login in another storage is not shared with other tabs, and needs a name of its own.
  const scope = storage && storage === findLocalStorage() ? key : `${key} ${Math.random()}`;
  const sharedAs = sharesStreams ? () => `${scope} ${kept.read()?.user.id ?? ''}` : undefined;
  const client = createClient({ baseUrl, timeoutMs, fetch, token: renewal.token, sharedAs });

  return {
    client: {
      ...client,
      async logout(...input) {
        await client.logout(...input);
        keep(undefined);
      },
      async logoutAll(...input) {
        await client.logoutAll(...input);
        keep(undefined);
      },
    },
    async login(credentials) {
      const askedAt = clock.now();
      const tokens = toTokens(readReply(await plain.login(credentials)), askedAt);
      keep(tokens);
      return tokens.user;
    },
    async logout() {
      const tokens = kept.read();
      if (!tokens) return;
      keep(undefined);
      await end(tokens);
    },
    user: listeners.update,
    isLoggedIn: () => listeners.update() !== undefined,
    onChange: listeners.add,
    async close() {
      closing.abort(new Error('this login was closed'));
      listeners.clear();
      await renewal.idle();
      tabs?.leave();
    },
  };
}

/** Tokens in memory are not shared: no lock is needed. */
const alone: TabLock = async (task, signal) => {
  signal.throwIfAborted();
  await task(() => {});
};

function createLock(
  storage: TokenStorage,
  { key, locks, clock }: { key: string; locks: Locks | null | undefined; clock: Clock },
): TabLock {
  const name = `${key} lock`;
  return locks ? createBrowserLock(locks, name) : createStorageLock({ storage, key: name, clock, random: Math.random });
}

function findLocalStorage(): unknown {
  try {
    return (globalThis as { localStorage?: unknown }).localStorage;
  } catch {
    // The browser may forbid it to the page.
    return undefined;
  }
}
