// The tokens of a login, in a storage that several tabs may share.

import type { TokenReply, User } from '@pilothouse/contract';

/** The part of `localStorage` that the SDK uses: synchronous storage of text by key. */
export type TokenStorage = {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
};

/** The tokens of one login as they are stored. Times are of this machine, in milliseconds since 1970. */
export type Tokens = {
  access_token: string;
  /** Undefined if it is in a cookie, which scripts cannot read. */
  refresh_token: string | undefined;
  user: User;
  /** From this time on they are renewed before they are used; a little before they expire. */
  renew_at: number;
  expires_at: number;
};

export type KeptTokens = {
  /** The present tokens, from whichever tab. Undefined if they cannot be read. */
  read(): Tokens | undefined;
  write(tokens: Tokens): void;
  forget(): void;
};

/** What the server answers to a login or a renewal. */
export type GivenTokens = Omit<TokenReply, 'refresh_token'> & { refresh_token?: string };

const earliestRenewalMs = 30_000;

/** The lifetime counts from the request, not from the reply: it must not be overestimated. */
export function toTokens({ access_token, refresh_token, expires_in, user }: GivenTokens, askedAt: number): Tokens {
  const lifeMs = expires_in * 1000;
  const expires_at = askedAt + lifeMs;
  const renew_at = expires_at - Math.min(earliestRenewalMs, lifeMs / 10);
  return { access_token, refresh_token, user, renew_at, expires_at };
}

/**
 * The storage is the only place where tokens are kept. It is read again for every call, because another tab may have
 * renewed them or logged out since.
 */
export function createKeptTokens(storage: TokenStorage, key: string): KeptTokens {
  let lastText: string | null = null;
  let last: Tokens | undefined;
  return {
    read() {
      const text = storage.getItem(key);
      if (text !== lastText) last = text === null ? undefined : parse(text);
      lastText = text;
      return last;
    },
    write: (tokens) => storage.setItem(key, JSON.stringify(tokens)),
    forget: () => storage.removeItem(key),
  };
}

/** The name of a login in a storage: one for each server. */
export const defaultKey = (baseUrl: string): string => `pilothouse.login ${new URL(baseUrl).origin}`;

/** Tokens that are never stored. Replaced by `write`, also with those of another tab. */
export function createTokensInMemory(): KeptTokens {
  let last: Tokens | undefined;
  return {
    read: () => last,
    write(tokens) {
      last = tokens;
    },
    forget() {
      last = undefined;
    },
  };
}

export function createMemoryStorage(): TokenStorage {
  const items = new Map<string, string>();
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  };
}

/** Whether it has the tokens and the user of a login; what is read from a storage or from the network may be anything. */
export function hasTokens(value: unknown): value is Pick<TokenReply, 'access_token' | 'refresh_token' | 'user'> {
  return hasAccessToken(value) && isText((value as Partial<TokenReply>).refresh_token);
}

/** The same for a login whose refresh token is in a cookie. */
export function hasAccessToken(value: unknown): value is Pick<TokenReply, 'access_token' | 'user'> {
  if (typeof value !== 'object' || value === null) return false;
  const { access_token, user } = value as Partial<TokenReply>;
  if (!isText(access_token)) return false;
  return typeof user === 'object' && user !== null && [user.id, user.username, user.role].every(isText);
}

const isText = (value: unknown): boolean => typeof value === 'string';

function parse(text: string): Tokens | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const { renew_at, expires_at } = value as Partial<Tokens>;
    if (typeof renew_at !== 'number' || typeof expires_at !== 'number' || !hasTokens(value)) return undefined;
    const { access_token, refresh_token, user } = value;
    return { access_token, refresh_token, user, renew_at, expires_at };
  } catch {
    // Written by another version, or by hand: the user has to log in again.
    return undefined;
  }
}
