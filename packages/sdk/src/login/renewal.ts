// Renews the tokens of a login when a call needs them: one exchange for all calls and all tabs.

import type { Clock } from '../common/clock.ts';
import { ApiError } from '../common/errors.ts';
import type { KeptTokens, Tokens } from '../common/kept-tokens.ts';
import type { TabLock } from '../common/tab-lock.ts';
import type { RenewableToken } from '../common/token.ts';
import { type Ask, refresh } from './refresh.ts';

type Options = {
  /** Returns the request that replaces these tokens. */
  askFor: (stale: Tokens) => Ask;
  kept: KeptTokens;
  /** Stores tokens, or removes them, and tells the listeners and the other tabs. */
  keep: (tokens: Tokens | undefined) => void;
  /** Ends a login on the server. */
  end: (tokens: Tokens) => Promise<void>;
  lock: TabLock;
  clock: Clock;
  /** Aborted when the login is closed. */
  signal: AbortSignal;
};

export function createRenewal({ askFor, kept, keep, end, lock, clock, signal }: Options) {
  const exchange = async (stale: Tokens, stillHere: () => void) => {
    const isKept = () => kept.read()?.access_token === stale.access_token;
    const mayAsk = () => {
      stillHere();
      return isKept();
    };
    try {
      const next = await refresh(askFor(stale), { clock, signal, mayAsk });
      if (next && isKept()) keep(next);
      // Logged out while the tokens were exchanged: end the new ones. No call waits for this.
      else if (next && !kept.read()) void end(next).catch(() => {});
    } catch (error) {
      // Refused, but another tab has stored newer tokens: use those.
      if (isUnauthorized(error) && kept.read() && !isKept()) return;
      if (isUnauthorized(error) && isKept()) keep(undefined);
      throw error;
    }
  };

  let renewal: Promise<void> | undefined;
  /** Replaces these tokens in the storage; calls that ask meanwhile share the exchange. */
  const renew = (stale: Tokens) => {
    renewal ??= lock(async (stillHere) => exchange(stale, stillHere), signal).finally(() => {
      renewal = undefined;
    });
    return renewal;
  };

  /** The tokens with which a call that began with these goes on: never those of another user. */
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
      // Renewal begins early: if it fails for now, the tokens are used until they expire.
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

  return {
    /** For a call: renewed if it expires soon, and renewable once if the server refuses it. */
    async token(): Promise<RenewableToken | undefined> {
      const tokens = await fresh();
      return tokens && { value: tokens.access_token, renew: () => renewRefused(tokens) };
    },

    /** Resolves when no renewal is under way. */
    async idle(): Promise<void> {
      await renewal?.catch(() => {});
    },
  };
}

export function isUnauthorized(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}
