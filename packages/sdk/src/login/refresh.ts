import { TokenReply } from '@pilothouse/contract';
import type { Client } from './client.ts';
import type { Clock } from './clock.ts';
import { ConnectionError, isApiError } from './errors.ts';
import { type Tokens, toTokens } from './kept-tokens.ts';

/** How long the server repeats its answer to a refresh token that it has exchanged already. */
const repeatableMs = 10_000;
const pausesMs = [250, 500, 1000, 1500, 1500, 1500, 1500];
/** Not longer: with an answer lost in silence there must be time left to ask again. */
const attemptMs = 4000;

type Refreshing = {
  client: Pick<Client, 'refresh'>;
  clock: Clock;
  /** Ends the pauses. An exchange on its way is not cut: its answer may hold the only tokens left. */
  signal: AbortSignal;
  /** Asked before each attempt. `false`: somebody else has exchanged the token, and to repeat it would be misuse. */
  mayAsk: () => boolean;
};

/**
 * Exchanges a refresh token. Where the answer is lost, the server may have exchanged it all the same; so the same one
 * is presented again, for as long as the server takes it for the same exchange. `undefined`: it was no longer wanted.
 */
export async function refresh(
  refresh_token: string,
  { client, clock, signal, mayAsk }: Refreshing,
): Promise<Tokens | undefined> {
  const beganAt = clock.now();
  for (const pauseMs of [...pausesMs, undefined]) {
    if (!mayAsk()) return undefined;
    const askedAt = clock.now();
    try {
      return toTokens(readReply(await client.refresh({ refresh_token }, { timeoutMs: attemptMs })), askedAt);
    } catch (error) {
      const isTooLate = pauseMs === undefined || clock.now() + pauseMs - beganAt >= repeatableMs;
      if (!isLost(error) || isTooLate) throw error;
      await clock.sleep(pauseMs, signal);
    }
  }
  return undefined;
}

/** What stands between us and the server, such as the page of a hotel's network, must not become our tokens. */
export function readReply(reply: unknown): TokenReply {
  const { success, data, error } = TokenReply.safeParse(reply);
  if (!success) throw new ConnectionError('the answer holds no tokens', error);
  return data;
}

function isLost(error: unknown): boolean {
  return error instanceof ConnectionError || isApiError(error, 'internal');
}
