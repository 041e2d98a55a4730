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

/** Long enough for a tab that is busy, and not felt where there is no other tab. One that is frozen never answers. */
const answerMs = 100;

export function createCookieState(key: string, clock: Clock) {
  const kept = createTokensInMemory();
  const listeners = createUserListeners(kept);
  let isKnown = false;
  const take = (tokens: Tokens | undefined) => {
    isKnown = true;
    if (tokens) kept.write(tokens);
    else kept.forget();
    listeners.update();
    known.resolve();
  };
  const known = Promise.withResolvers<void>();
  const tabs = joinCookieTabs(key, {
    onTokens: take,
    onAnswer: (tokens) => {
      // What this tab knows already is newer.
      if (!isKnown) take(tokens);
    },
    answer: () => {
      const tokens = kept.read();
      return tokens && clock.now() < tokens.renew_at ? tokens : undefined;
    },
  });
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
    /** Asks the other tabs, and returns as soon as one has answered; otherwise after a moment. */
    async askTabs(signal: AbortSignal): Promise<void> {
      const over = new AbortController();
      tabs.ask();
      const moment = clock.sleep(answerMs, AbortSignal.any([signal, over.signal])).catch(() => {});
      await Promise.race([known.promise, moment]);
      over.abort();
    },
    /** Keeps tokens, or removes them, and tells the other tabs. */
    keep(tokens: Tokens | undefined): void {
      take(tokens);
      tabs.tell(tokens);
    },
  };
}

type Options = { ask: Ask; state: CookieState; lock: TabLock; clock: Clock; signal: AbortSignal };

/** Asks the other tabs whether there is a login, and if none answers, the server, once. */
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
  const askAll = async () => {
    await state.askTabs(signal);
    if (!state.isKnown()) await lock(findOut, signal);
  };
  let finding: Promise<void> | undefined;
  return {
    async restore(): Promise<User | undefined> {
      if (!state.isKnown()) {
        finding ??= askAll().finally(() => {
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
