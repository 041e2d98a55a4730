// Tells listeners when the user of a login changes, in this tab or in another.

import type { User } from '@pilothouse/contract';
import type { KeptTokens } from '../common/kept-tokens.ts';

export type UserListener = (user: User | undefined) => void;

export function createUserListeners(kept: KeptTokens) {
  const listeners = new Set<UserListener>();
  let shown = kept.read()?.user;

  return {
    /** Reads the user again, and calls the listeners if anything about them has changed. */
    update(): User | undefined {
      const user = kept.read()?.user;
      if (JSON.stringify(user) === JSON.stringify(shown)) return shown;
      shown = user;
      // In a microtask, so that a listener that throws does not fail the call that noticed the change.
      for (const listener of listeners) queueMicrotask(() => listeners.has(listener) && listener(user));
      return shown;
    },

    add(listener: UserListener): () => void {
      // A function of its own, so that one added twice is called twice and removed once.
      const own: UserListener = (user) => listener(user);
      listeners.add(own);
      return () => void listeners.delete(own);
    },

    clear: () => listeners.clear(),
  };
}
