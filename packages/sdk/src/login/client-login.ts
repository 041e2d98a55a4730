// A login as programs and pages use it: its options and its functions.

import type { LoginRequest, User } from '@pilothouse/contract';
import type { Client, ClientOptions } from '../client/client.ts';
import type { Clock } from '../common/clock.ts';
import type { TokenStorage } from '../common/kept-tokens.ts';
import type { Locks } from '../common/tab-lock.ts';
import type { UserListener } from './user-listeners.ts';

export type LoginOptions = Pick<ClientOptions, 'baseUrl' | 'timeoutMs' | 'fetch'> & {
  /**
   * Where the tokens are stored. Everything that uses the same storage shares one login. With `localStorage`, the user
   * stays logged in over reloads and in every tab; but every script of the page can read it. By default the tokens are
   * in memory, and end with the page or the program.
   */
  storage?: TokenStorage;
  /**
   * For pages of the server itself, in place of `storage`: the refresh token is in a cookie that no script can read, and the
   * access token in memory. The login outlives reloads, and all tabs share it. Call `restore` when the page is loaded.
   */
  cookie?: boolean;
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
  /**
   * Finds the login again after the page was loaded, and returns its user; undefined if there is none. With `cookie`,
   * another tab is asked, and if none answers, the server, once; until then `user` does not know. Otherwise it returns at once. Throws `ConnectionError` or
   * `ApiError` if it could not be found out; then it may be called again.
   */
  restore(): Promise<User | undefined>;
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
