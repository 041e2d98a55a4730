// Tells the tabs that share a cookie of new access tokens, and gives them to a tab that was just opened: a renewal serves
// all of them.

import { hasAccessToken, type Tokens } from '../common/kept-tokens.ts';

export type CookieTabs = {
  /** `undefined`: logged out. */
  tell(tokens: Tokens | undefined): void;
  /** Asks the other tabs for their tokens. One that has some answers by `onAnswer`. */
  ask(): void;
  leave(): void;
};

type Options = {
  /** Another tab logged in or out, or renewed its tokens. */
  onTokens: (tokens: Tokens | undefined) => void;
  /** Another tab has answered a question, of this tab or of another. */
  onAnswer: (tokens: Tokens) => void;
  /** What this tab answers. Undefined: nothing. */
  answer: () => Tokens | undefined;
};

const question = 'tokens?';

/** Only pages of the same origin hear it, and they could ask the server for a token just as well. */
export function joinCookieTabs(name: string, { onTokens, onAnswer, answer }: Options): CookieTabs {
  const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(name);
  let hasLeft = false;
  const send = (message: unknown) => {
    if (!hasLeft) channel?.postMessage(message);
  };
  const answerOthers = () => {
    const tokens = answer();
    if (tokens) send({ answer: tokens });
  };
  if (channel) {
    channel.onmessage = ({ data }: { data: unknown }) => {
      if (data === null) onTokens(undefined);
      else if (data === question) answerOthers();
      else if (areTokens(data)) onTokens(data);
      else if (isAnswer(data)) onAnswer(data.answer);
    };
    // In Node, an open channel would keep a finished program running.
    (channel as { unref?: () => void }).unref?.();
  }
  return {
    tell: (tokens) => send(tokens ?? null),
    ask: () => send(question),
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

const isAnswer = (value: unknown): value is { answer: Tokens } =>
  areTokens(((value ?? {}) as { answer?: unknown }).answer);
