// Exchanges a refresh token, and repeats the exchange if the reply is lost.

import type { TokenReply } from '@pilothouse/contract';
import type { CallOptions } from '../client/call.ts';
import type { Clock } from '../common/clock.ts';
import { ConnectionError, isApiError } from '../common/errors.ts';
import { type GivenTokens, hasAccessToken, hasTokens, type Tokens, toTokens } from '../common/kept-tokens.ts';

/** How long the server repeats its reply to a refresh token that it has exchanged already. */
const repeatableMs = 10_000;
const pausesMs = [250, 500, 1000, 1500, 1500, 1500, 1500];
/** Not longer: if a reply is lost without an error, there must be time left to ask again. */
const attemptMs = 4000;

/** Asks the server for new tokens once. */
export type Ask = (options: CallOptions) => Promise<GivenTokens>;

type Options = {
  clock: Clock;
  /** Ends the pauses. An exchange under way is not aborted: its reply may hold the only valid tokens. */
  signal: AbortSignal;
  /**
   * Called before each attempt. `false`: another tab has exchanged the token, and the server would treat a repeat as
   * theft.
   */
  mayAsk: () => boolean;
};

/**
 * If the reply is lost, the server may have exchanged the token all the same; so the same token is sent again, for as
 * long as the server takes it for the same exchange. `undefined`: `mayAsk` was false.
 */
export async function refresh(ask: Ask, { clock, signal, mayAsk }: Options): Promise<Tokens | undefined> {
  const beganAt = clock.now();
  for (const pauseMs of [...pausesMs, undefined]) {
    if (!mayAsk()) return undefined;
    const askedAt = clock.now();
    try {
      return toTokens(await ask({ timeoutMs: attemptMs }), askedAt);
    } catch (error) {
      const isTooLate = pauseMs === undefined || clock.now() + pauseMs - beganAt >= repeatableMs;
      if (!isLost(error) || isTooLate) throw error;
      await clock.sleep(pauseMs, signal);
    }
  }
  return undefined;
}

/** The reply of something in between, such as the login page of a network, must not be stored as tokens. */
export function readReply(reply: unknown): TokenReply {
  if (!hasTokens(reply)) throw noTokens();
  return { ...readCookieReply(reply), refresh_token: reply.refresh_token };
}

/** The same for a login whose refresh token is in a cookie. */
export function readCookieReply(reply: unknown): GivenTokens {
  const { expires_in } = (reply ?? {}) as Partial<TokenReply>;
  if (!hasAccessToken(reply) || typeof expires_in !== 'number' || !(expires_in >= 1)) throw noTokens();
  const { access_token, user } = reply;
  return { access_token, user, token_type: 'Bearer', expires_in };
}

const noTokens = () => new ConnectionError('the answer holds no tokens');

function isLost(error: unknown): boolean {
  return error instanceof ConnectionError || isApiError(error, 'internal');
}
