// What a page knows of a login whose refresh token is in a cookie, and how it finds out.

import type { User } from '@pilothouse/contract';
import type { Clock } from '../common/clock.ts';
import { createTokensInMemory, type Tokens } from '../common/kept-tokens.ts';
import type { LockedTask, TabLock } from '../common/tab-lock.ts';
import { joinCookieTabs } from './cookie-tabs.ts';
import { type Ask, refresh } from './refresh.ts';
import { isUnauthorized } from './renewal.ts';
import { createUserListeners } from './user-listeners.ts';

export type CookieState = ReturnType<typeof createCookieState>;

export function createCookieState(key: string) {
  const kept = createTokensInMemory();
  const listeners = createUserListeners(kept);
  let isKnown = false;
  const take = (tokens: Tokens | undefined) => {
    isKnown = true;
    if (tokens) kept.write(tokens);
    else kept.forget();
    listeners.update();
  };
  const tabs = joinCookieTabs(key, take);
  return {
    kept,
    listeners,
    tabs,
    /** Whether it is known if there is a login: scripts cannot see the cookie. */
    isKnown: () => isKnown,
    /** There is no login. */
    know() {
      isKnown = true;
    },
    /** Keeps tokens, or removes them, and tells the other tabs. */
    keep(tokens: Tokens | undefined): void {
      take(tokens);
      tabs.tell(tokens);
    },
  };
}

type Options = { ask: Ask; state: CookieState; lock: TabLock; clock: Clock; signal: AbortSignal };

/** Asks the server once whether there is a login. */
export function createRestoration({ ask, state, lock, clock, signal }: Options) {
  const findOut: LockedTask = async (stillHere) => {
    const mayAsk = () => {
      stillHere();
      return !state.isKnown();
    };
    try {
      const tokens = await refresh(ask, { clock, signal, mayAsk });
      if (tokens && !state.isKnown()) state.keep(tokens);
    } catch (error) {
      if (!isUnauthorized(error)) throw error;
      state.know();
    }
  };
  let finding: Promise<void> | undefined;
  return {
    async restore(): Promise<User | undefined> {
      if (!state.isKnown()) {
        finding ??= lock(findOut, signal).finally(() => {
          finding = undefined;
        });
        await finding;
      }
      return state.listeners.update();
    },
    /** Resolves when no question is under way. */
    async idle(): Promise<void> {
      await finding?.catch(() => {});
    },
  };
}
