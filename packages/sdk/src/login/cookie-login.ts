// A login in a page: the refresh token is in a cookie that no script can read, the access token in memory.

import type { LoginRequest } from '@pilothouse/contract';
import { createClient } from '../client/client.ts';
import { systemClock } from '../common/clock.ts';
import { defaultKey, type Tokens, toTokens } from '../common/kept-tokens.ts';
import { createLock, findLocalStorage, findLocks } from '../common/tab-lock.ts';
import type { ClientLogin, LoginOptions } from './client-login.ts';
import { createCookieState, createRestoration } from './cookie-state.ts';
import { type Ask, readCookieReply } from './refresh.ts';
import { createRenewal } from './renewal.ts';

const logoutMs = 30_000;

/**
 * Everything that replaces the cookie runs under one lock of all tabs: answers that arrive in another order than they were
 * given would leave an older token in it.
 */
export function createCookieLogin(options: LoginOptions): ClientLogin {
  const { baseUrl, timeoutMs, fetch, clock = systemClock, locks = findLocks(), sharesStreams = false } = options;
  const key = `${options.storageKey ?? defaultKey(baseUrl)} cookie`;
  const plain = createClient({ baseUrl, timeoutMs, fetch });
  const state = createCookieState(key, clock);
  const { kept, listeners, keep } = state;
  // On plain HTTP browsers have no locks. A lock in a storage holds nothing secret.
  const lock = createLock(options.storage ?? findLocalStorage(), { key, locks, clock });
  const closing = new AbortController();
  // With `keepalive` the browser stores the new cookie also if the page is closed meanwhile.
  const ask: Ask = async (call) => readCookieReply(await plain.consoleRefresh({}, { ...call, keepalive: true }));
  const removeCookie = () => plain.consoleLogout({}, { keepalive: true });
  const removeCookieInTurn = () =>
    lock(async () => void (await removeCookie()), AbortSignal.timeout(timeoutMs ?? logoutMs));
  const renewal = createRenewal({
    ...{ kept, keep, lock, clock },
    askFor: () => ask,
    end: removeCookie,
    signal: closing.signal,
  });

  const restoration = createRestoration({ ask, state, lock, clock, signal: closing.signal });
  const { restore } = restoration;

  const client = createClient({
    ...{ baseUrl, timeoutMs, fetch },
    async token() {
      await restore();
      return renewal.token();
    },
    sharedAs: sharesStreams ? () => `${key} ${kept.read()?.user.id ?? ''}` : undefined,
  });
  /** The login has ended on the server, so a cookie that stays is of no use to anyone. */
  const forget = async () => {
    keep(undefined);
    await removeCookieInTurn().catch(() => {});
  };

  return {
    client: {
      ...client,
      async logout(...input) {
        await client.logout(...input);
        await forget();
      },
      async logoutAll(...input) {
        await client.logoutAll(...input);
        await forget();
      },
    },
    async login(credentials: LoginRequest) {
      const asked = Promise.withResolvers<Tokens>();
      await lock(async () => {
        const askedAt = clock.now();
        const tokens = toTokens(readCookieReply(await plain.consoleLogin(credentials)), askedAt);
        keep(tokens);
        asked.resolve(tokens);
      }, closing.signal);
      return (await asked.promise).user;
    },
    async logout() {
      if (state.isKnown() && !kept.read()) return;
      keep(undefined);
      await removeCookieInTurn();
    },
    restore,
    user: listeners.update,
    isLoggedIn: () => listeners.update() !== undefined,
    onChange: listeners.add,
    async close() {
      closing.abort(new Error('this login was closed'));
      listeners.clear();
      await Promise.all([renewal.idle(), restoration.idle()]);
      state.tabs.leave();
    },
  };
}
