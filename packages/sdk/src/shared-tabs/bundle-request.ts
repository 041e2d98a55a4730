// The request for a bundle of streams, authenticated by whichever tab can, since the worker has no tokens of its own.

import type { Problem } from '@pilothouse/contract';
import { ApiError, ConnectionError } from '../common/errors.ts';
import { unlessAborted } from '../common/unless-aborted.ts';
import type { Tab } from './follower.ts';
import type { Refusal } from './messages.ts';

type Options = { baseUrl: string; login: string; fetch: typeof fetch; tabs: () => Set<Tab> };

export function createBundleRequest({ baseUrl, login, fetch, tabs }: Options) {
  async function send(streams: string[], headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
    const address = new URL('/api/streams', baseUrl);
    for (const stream of streams) address.searchParams.append('stream', stream);
    return fetch(address, { headers: { ...headers, accept: 'text/event-stream' }, signal }).catch((error: unknown) => {
      throw error instanceof TypeError ? new ConnectionError(`cannot reach ${baseUrl}`, error) : error;
    });
  }

  /** The headers of the first tab that has a token; none, if the login of all of them is over. */
  async function authenticate(refused: string | undefined): Promise<Record<string, string>> {
    const answers = [...tabs()].map(async (tab) => {
      const proof = await tab.prove(login, refused);
      return typeof proof === 'string' ? Promise.reject(proof) : proof.headers;
    });
    return Promise.any(answers).catch(({ errors }: AggregateError) => {
      if (errors.includes('later')) throw new ConnectionError('no tab could say who asks');
      return {};
    });
  }

  /** Opens the response; sends the request once more if the server refused the token and a tab has another. */
  return async (streams: string[], signal: AbortSignal): Promise<Response> => {
    const headers = await unlessAborted(authenticate(undefined), signal);
    const response = await send(streams, headers, signal);
    const refused = response.status === 401 ? headers.authorization : undefined;
    if (refused === undefined) return orRefusal(response);
    const renewed = await unlessAborted(authenticate(refused), signal);
    return orRefusal(renewed.authorization === undefined ? response : await send(streams, renewed, signal));
  };
}

export const noRefusal: Refusal = { problem: undefined, message: '', retryAfterSecs: undefined };

/** As it is sent to a tab: an error loses its class on the way. */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof RefusedError) return error.refusal;
  return { ...noRefusal, message: error instanceof Error ? error.message : String(error) };
}

class RefusedError extends ApiError {
  readonly refusal: Refusal;
  constructor(problem: Problem, retryAfterSecs: number | undefined) {
    super(problem, retryAfterSecs);
    this.refusal = { problem, message: problem.detail, retryAfterSecs };
  }
}

/**
 * The tabs check messages against the contract; here it is enough to tell a refusal of our server from other errors.
 */
async function orRefusal(response: Response): Promise<Response> {
  if (response.ok) return response;
  // Only its code is looked at here.
  const problem = (await response.json().catch(() => undefined)) as Problem | undefined;
  if (typeof problem?.code !== 'string') throw new ConnectionError(`answered ${response.status} without a reason`);
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  throw new RefusedError(problem, Number.isFinite(retryAfter) ? retryAfter : undefined);
}
