// A login in a page: the refresh token is in a cookie that no script can read, the access token in memory.

import type { LoginRequest, User } from '@pilothouse/contract';
import { createClient } from '../client/client.ts';
import { systemClock } from '../common/clock.ts';
import { createTokensInMemory, defaultKey, type Tokens, toTokens } from '../common/kept-tokens.ts';
import { createLock, findLocalStorage, findLocks, type LockedTask } from '../common/tab-lock.ts';
import type { ClientLogin, LoginOptions } from './client-login.ts';
import { joinCookieTabs } from './cookie-tabs.ts';
import { type Ask, readCookieReply, refresh } from './refresh.ts';
import { createRenewal, isUnauthorized } from './renewal.ts';
import { createUserListeners } from './user-listeners.ts';

const logoutMs = 30_000;

/**
 * Everything that replaces the cookie runs under one lock of all tabs: answers that arrive in another order than they were
 * given would leave an older token in it.
 */
export function createCookieLogin(options: LoginOptions): ClientLogin {
  const { baseUrl, timeoutMs, fetch, clock = systemClock, locks = findLocks(), sharesStreams = false } = options;
  const key = `${options.storageKey ?? defaultKey(baseUrl)} cookie`;
  const plain = createClient({ baseUrl, timeoutMs, fetch });
  const kept = createTokensInMemory();
  // On plain HTTP browsers have no locks. A lock in a storage holds nothing secret.
  const lock = createLock(options.storage ?? findLocalStorage(), { key, locks, clock });
  const closing = new AbortController();
  const listeners = createUserListeners(kept);
  /** Whether it is known if there is a login: scripts cannot see the cookie. */
  let isKnown = false;

  const take = (tokens: Tokens | undefined) => {
    isKnown = true;
    if (tokens) kept.write(tokens);
    else kept.forget();
    listeners.update();
  };
  const tabs = joinCookieTabs(key, take);
  const keep = (tokens: Tokens | undefined) => {
    take(tokens);
    tabs.tell(tokens);
  };

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

  const findOut: LockedTask = async (stillHere) => {
    const mayAsk = () => {
      stillHere();
      return !isKnown;
    };
    try {
      const tokens = await refresh(ask, { clock, signal: closing.signal, mayAsk });
      if (tokens && !isKnown) keep(tokens);
    } catch (error) {
      if (!isUnauthorized(error)) throw error;
      isKnown = true;
    }
  };
  let finding: Promise<void> | undefined;
  const restore = async (): Promise<User | undefined> => {
    if (!isKnown) {
      finding ??= lock(findOut, closing.signal).finally(() => {
        finding = undefined;
      });
      await finding;
    }
    return listeners.update();
  };

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
      if (isKnown && !kept.read()) return;
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
      await Promise.all([renewal.idle(), finding?.catch(() => {})]);
      tabs.leave();
    },
  };
}
