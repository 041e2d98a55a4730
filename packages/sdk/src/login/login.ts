// A login: keeps its tokens, renews them, and shares them between tabs.

import { createClient } from '../client/client.ts';
import { systemClock } from '../common/clock.ts';
import { createKeptTokens, createMemoryStorage, defaultKey, type Tokens, toTokens } from '../common/kept-tokens.ts';
import { alone, createLock, findLocalStorage, findLocks } from '../common/tab-lock.ts';
import type { ClientLogin, LoginOptions } from './client-login.ts';
import { createCookieLogin } from './cookie-login.ts';
import { type Ask, readReply } from './refresh.ts';
import { createRenewal, isUnauthorized } from './renewal.ts';
import { joinTabs } from './tabs.ts';
import { createUserListeners } from './user-listeners.ts';

/**
 * Logs in and stays logged in, for programs and for pages in many tabs. Nothing runs in the background: tokens are
 * renewed when a call needs them, once for all calls and all tabs.
 */
export function createLogin(options: LoginOptions): ClientLogin {
  return options.cookie ? createCookieLogin(options) : createStoredLogin(options);
}

function createStoredLogin({
  baseUrl,
  timeoutMs,
  fetch,
  storage,
  storageKey: key = defaultKey(baseUrl),
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

  const askFor =
    ({ refresh_token = '' }: Tokens): Ask =>
    async (options) =>
      readReply(await plain.refresh({ refresh_token }, options));
  const renewal = createRenewal({ askFor, kept, keep, end, lock, clock, signal: closing.signal });
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
    restore: async () => listeners.update(),
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
