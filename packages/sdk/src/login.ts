import type { LoginRequest, User } from '@pilothouse/contract';
import { type Client, type ClientOptions, createClient } from './client.ts';
import { type Clock, systemClock } from './clock.ts';
import { ApiError } from './errors.ts';
import { createKeptTokens, createMemoryStorage, type TokenStorage, type Tokens, toTokens } from './kept-tokens.ts';
import { readReply, refresh } from './refresh.ts';
import { createBrowserLock, createStorageLock, findLocks, type Locks, type TabLock } from './tab-lock.ts';
import { joinTabs } from './tabs.ts';
import type { RenewableToken } from './token.ts';

export type LoginOptions = Pick<ClientOptions, 'baseUrl' | 'timeoutMs' | 'fetch'> & {
  /**
   * Where the tokens are kept: all who use the same one share one login. Give `localStorage` to stay logged in over
   * reloads and in every tab; mind that every script of the page can read it. By default they are kept in memory, and
   * end with the page or the program.
   */
  storage?: TokenStorage;
  /** The name they are kept under. By default there is one for each server. */
  storageKey?: string;
  /**
   * Lets one at a time renew what is in `storage`. By default `navigator.locks`. With `null`, and where there is none,
   * a lock in the storage itself is used; processes that share a storage need that, because Node's locks end at the
   * process.
   */
  locks?: Locks | null;
  /**
   * In browsers: whether all tabs that share this login follow their streams over one connection, so that many tabs
   * leave room for plain requests. Only tabs of one `localStorage` share a login. See `sharedAs` of a client.
   */
  sharesStreams?: boolean;
  clock?: Clock;
};

/** A login and the client that acts with it. */
export type ClientLogin = {
  /**
   * An ordinary client. Its calls and streams carry the access token, renew it in time, and are sent once more when
   * the server refused it. Once the login is over they throw `ApiError` with `token_invalid` or `token_expired`, and
   * `token_missing` from then on. A renewal that fails for now throws as any call does: `ConnectionError`, or
   * `ApiError` with `rate_limited` or `overloaded`. The login outlives that, and so do streams, which try again.
   */
  client: Client;
  /**
   * Logs in, in place of whoever was. Throws `ApiError` with `invalid_credentials`, `validation_failed`,
   * `rate_limited` or `overloaded` (see `retryAfterSecs`), and `ConnectionError`; then all is as it was before.
   */
  login(credentials: LoginRequest): Promise<User>;
  /**
   * Forgets the tokens at once, in every tab, and then ends the login on the server. Throws `ConnectionError` or
   * `ApiError` when that failed: here the login is over all the same, but on the server it lives until it runs out.
   */
  logout(): Promise<void>;
  /** Who is logged in, as of the last renewal; the same object until something about them changes. */
  user(): User | undefined;
  /** Whether there are tokens. Whether the server still takes them, the next call will tell. */
  isLoggedIn(): boolean;
  /** Calls the listener when somebody logs in or out, here or in another tab. Returns how to stop that. */
  onChange(listener: (user: User | undefined) => void): () => void;
  /**
   * Stops renewing and listening, without logging out. Resolves when a renewal that is on its way has been kept.
   * Calls that then need a renewal throw an `Error`.
   */
  close(): Promise<void>;
};

/**
 * Logs in and stays logged in, for programs and for pages of many tabs. Nothing happens in the background: tokens are
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
  const listeners = new Set<(user: User | undefined) => void>();
  let shown = kept.read()?.user;

  const notice = () => {
    const user = kept.read()?.user;
    if (JSON.stringify(user) === JSON.stringify(shown)) return;
    shown = user;
    // Later, so that what a listener throws does not fail the call that happened to notice.
    for (const listener of listeners) queueMicrotask(() => listeners.has(listener) && listener(user));
  };
  const tabs = storage ? joinTabs(key, notice) : undefined;

  const keep = (tokens: Tokens | undefined) => {
    if (tokens) kept.write(tokens);
    else kept.forget();
    notice();
    tabs?.tell();
  };

  /** Ends a login on the server. One that the server no longer knows has ended already. */
  const end = async ({ access_token, refresh_token }: Tokens) => {
    const headers = { authorization: `Bearer ${access_token}` };
    await plain.logout({ refresh_token }, { headers }).catch((error: unknown) => {
      if (!isUnauthorized(error)) throw error;
    });
  };

  const replace = async ({ refresh_token }: Tokens, stillHere: () => void) => {
    const isKept = () => kept.read()?.refresh_token === refresh_token;
    const mayAsk = () => {
      stillHere();
      return isKept();
    };
    try {
      const next = await refresh(refresh_token, { client: plain, clock, signal: closing.signal, mayAsk });
      if (next && isKept()) keep(next);
      // Logged out meanwhile, with tokens that had just been exchanged: these are the ones to end. Nobody waits for it.
      else if (next && !kept.read()) void end(next).catch(() => {});
    } catch (error) {
      // Refused, but another tab has newer ones: those are good.
      if (isUnauthorized(error) && kept.read() && !isKept()) return;
      if (isUnauthorized(error) && isKept()) keep(undefined);
      throw error;
    }
  };

  let renewal: Promise<void> | undefined;
  /** Sees to it that other tokens are kept than these; one exchange for all who ask. */
  const renew = (stale: Tokens) => {
    renewal ??= lock(async (stillHere) => replace(stale, stillHere), closing.signal).finally(() => {
      renewal = undefined;
    });
    return renewal;
  };

  /** What a call that began with these tokens goes on with: never with those of somebody else. */
  const successorOf = (tokens: Tokens) => {
    const current = kept.read();
    return current?.user.id === tokens.user.id ? current : undefined;
  };

  const fresh = async (): Promise<Tokens | undefined> => {
    const tokens = kept.read();
    if (!tokens || clock.now() < tokens.renew_at) return tokens;
    try {
      await renew(tokens);
    } catch (error) {
      // They are renewed early; until they have run out they serve while a renewal fails for now.
      if (isUnauthorized(error) || clock.now() >= tokens.expires_at) throw error;
    }
    return successorOf(tokens) ?? tokens;
  };

  const renewRefused = async (refused: Tokens): Promise<string | undefined> => {
    // Twice, because the renewal that is under way may have begun for older tokens than these.
    for (let round = 0; round < 2; round += 1) {
      if (kept.read()?.access_token === refused.access_token) await renew(refused);
    }
    const next = successorOf(refused)?.access_token;
    return next === refused.access_token ? undefined : next;
  };

  const token = async (): Promise<RenewableToken | undefined> => {
    const tokens = await fresh();
    return tokens && { value: tokens.access_token, renew: () => renewRefused(tokens) };
  };

  // A login of another storage is ours alone, and so is its name.
  const place = storage && storage === findLocalStorage() ? key : `${key} ${Math.random()}`;
  const sharedAs = sharesStreams ? () => `${place} ${kept.read()?.user.id ?? ''}` : undefined;
  const client = createClient({ baseUrl, timeoutMs, fetch, token, sharedAs });
  const user = () => {
    notice();
    return shown;
  };

  return {
    client: {
      ...client,
      async logout(...given) {
        await client.logout(...given);
        keep(undefined);
      },
      async logoutAll(...given) {
        await client.logoutAll(...given);
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
    user,
    isLoggedIn: () => user() !== undefined,
    onChange(listener) {
      // Of its own, so that one function given twice is told twice and stopped once.
      const own = (now: User | undefined) => listener(now);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    async close() {
      closing.abort(new Error('this login was closed'));
      listeners.clear();
      await renewal?.catch(() => {});
      tabs?.leave();
    },
  };
}

/** Tokens in our own memory are nobody else's to renew. */
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
    // A page may be forbidden to have one.
    return undefined;
  }
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}
