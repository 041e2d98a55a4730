// Tells the tabs that share a cookie of new access tokens, so that each renewal serves all of them.

import { hasAccessToken, type Tokens } from '../common/kept-tokens.ts';

export type CookieTabs = {
  /** `undefined`: logged out. */
  tell(tokens: Tokens | undefined): void;
  leave(): void;
};

/** Only pages of the same origin hear it, and they could ask the server for a token just as well. */
export function joinCookieTabs(name: string, onTokens: (tokens: Tokens | undefined) => void): CookieTabs {
  const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(name);
  if (channel) {
    channel.onmessage = ({ data }: { data: unknown }) => {
      if (data === null) onTokens(undefined);
      else if (areTokens(data)) onTokens(data);
    };
    // In Node, an open channel would keep a finished program running.
    (channel as { unref?: () => void }).unref?.();
  }
  let hasLeft = false;
  return {
    tell(tokens) {
      if (!hasLeft) channel?.postMessage(tokens ?? null);
    },
    leave() {
      hasLeft = true;
      channel?.close();
    },
  };
}

/** A tab may run another version. */
function areTokens(value: unknown): value is Tokens {
  const { renew_at, expires_at } = (value ?? {}) as Partial<Tokens>;
  return hasAccessToken(value) && typeof renew_at === 'number' && typeof expires_at === 'number';
}
