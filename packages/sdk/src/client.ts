import { type ChatReply, type PlanReply, type Route, type RouteName, routes } from '@pilothouse/contract';
import { ConnectionError, isApiError, toError } from './errors.ts';
import { type CallInput, type CallResult, layOut } from './request.ts';
import { follow, kindsOf, type Position, type StreamOptions } from './stream.ts';

/** A token for which there may be another, once the server refuses it. */
export type RenewableToken = {
  value: string;
  /** Asked once, when the server says the token is expired or invalid. `undefined`: the refusal stands. */
  renew: () => Promise<string | undefined>;
};

type Token = string | RenewableToken | undefined;

export type ClientOptions = {
  /** Where the server is, for example `http://127.0.0.1:4000`. */
  baseUrl: string;
  /**
   * The access token or API key to send; asked for before every call that needs one, and before every connection of
   * a stream.
   */
  token?: () => Token | Promise<Token>;
  /**
   * The token of a share, for who has no login: sent in place of a login where a shared session is watched, with
   * `getSession` and `followSession`. Everything else refuses it.
   */
  shareToken?: string;
  /** How long a call may take before it is given up. Streams have no such end. */
  timeoutMs?: number;
  fetch?: typeof fetch;
};

export type CallOptions = {
  signal?: AbortSignal;
  timeoutMs?: number;
  /** Sent twice with the same key, a chat starts one task. */
  idempotencyKey?: string;
  headers?: Record<string, string>;
};

type Routes = typeof routes;
type Method<R extends Route> = R extends { stream: unknown }
  ? (input: CallInput<R>, options?: StreamOptions) => CallResult<R>
  : Record<never, never> extends CallInput<R>
    ? (input?: CallInput<R>, options?: CallOptions) => Promise<CallResult<R>>
    : (input: CallInput<R>, options?: CallOptions) => Promise<CallResult<R>>;

/** Asked only to plan, it answers with the plan; else with the ids of the work that has begun. */
type SendChat = {
  (input: CallInput<Routes['sendChat']> & { execute: false }, options?: CallOptions): Promise<PlanReply>;
  (input: CallInput<Routes['sendChat']> & { execute?: true }, options?: CallOptions): Promise<ChatReply>;
};

/** One method for each route of the interface, named as in the contract. */
export type Client = { [Name in RouteName]: Name extends 'sendChat' ? SendChat : Method<Routes[Name]> };

type Input = Record<string, unknown>;

/**
 * A client of one Pilothouse. Every method answers with what the interface promises or throws: `ApiError` when the
 * server refused, `ConnectionError` when it could not be reached, and the signal's own reason when you gave up.
 *
 * The methods that follow give their events to a `for await` loop and connect when it begins. They come back by
 * themselves after every cut and go on where they were, until `end`, a refusal, or your signal. A stream that gives
 * `reset` is over too: read the status or the snapshot again, and follow from the cursor in it.
 */
export function createClient({
  baseUrl,
  token,
  shareToken,
  timeoutMs = 30_000,
  fetch: send = fetch,
}: ClientOptions): Client {
  type Request = { route: Route; input: Input; headers: Headers; signal: AbortSignal };

  const exchange = async ({ route, input, headers, signal }: Request, bearer: string | undefined) => {
    const { path, body } = layOut(route, input);
    if (bearer) headers.set('authorization', `Bearer ${bearer}`);
    if (body !== undefined) headers.set('content-type', 'application/json');
    const address = new URL(path, baseUrl);
    const response = await send(address, { method: route.method, headers, body, signal }).catch((error: unknown) => {
      // What fetch throws when there is no connection, or when it breaks.
      throw error instanceof TypeError ? new ConnectionError(`cannot reach ${baseUrl}`, error) : error;
    });
    if (!response.ok) throw await toError(response);
    return response;
  };

  const open = async (request: Request): Promise<Response> => {
    const { route, signal, headers } = request;
    if (shareToken !== undefined && route.access === 'share') {
      headers.set('x-share-token', shareToken);
      return exchange(request, undefined);
    }
    const given = route.access === 'public' ? undefined : await unlessAborted(token?.(), signal);
    if (given === undefined || typeof given === 'string') return exchange(request, given);
    try {
      return await exchange(request, given.value);
    } catch (error) {
      if (!isTokenRefused(error)) throw error;
      const another = await unlessAborted(given.renew(), signal);
      if (another === undefined) throw error;
      // Safe for every method: what was refused for its token did not act.
      return exchange(request, another);
    }
  };

  const call = async (route: Route, input: Input = {}, options: CallOptions = {}) => {
    const headers = new Headers(options.headers);
    if (options.idempotencyKey) headers.set('idempotency-key', options.idempotencyKey);
    const late = AbortSignal.timeout(options.timeoutMs ?? timeoutMs);
    const signal = options.signal ? AbortSignal.any([options.signal, late]) : late;
    try {
      const response = await open({ route, input, headers, signal });
      if (route.bytes) return response;
      return response.status === 204 ? undefined : await response.json();
    } catch (error) {
      if (options.signal?.aborted) throw options.signal.reason;
      if (late.aborted) throw new ConnectionError(`no answer to ${route.method} ${route.path} in time`, error);
      // A body that breaks off, and one that is not JSON: the page of something in between.
      const isUnreadable = error instanceof TypeError || error instanceof SyntaxError;
      if (isUnreadable) throw new ConnectionError(`the answer of ${baseUrl} cannot be read`, error);
      throw error;
    }
  };

  const stream = (route: Route, { cursor, ...input }: Input = {}, { headers, ...options }: StreamOptions = {}) => {
    const connect = (position: Position, signal: AbortSignal) => {
      const all = new Headers(headers);
      all.set('accept', 'text/event-stream');
      if (position.lastEventId !== undefined) all.set('last-event-id', position.lastEventId);
      return open({ route, input: { ...input, cursor: position.cursor }, headers: all, signal });
    };
    return follow({ ...options, connect, kinds: kindsOf(route.stream), cursor: cursor as string | undefined });
  };

  const methods = Object.entries<Route>(routes).map(([name, route]) => [
    name,
    route.stream
      ? (input?: Input, options?: StreamOptions) => stream(route, input, options)
      : (input?: Input, options?: CallOptions) => call(route, input, options),
  ]);
  // Built from the same table that the type is derived from.
  return Object.fromEntries(methods) as Client;
}

function isTokenRefused(error: unknown): boolean {
  return isApiError(error, 'token_expired') || isApiError(error, 'token_invalid');
}

/** Whoever gave up does not wait for a token that others may still want. */
async function unlessAborted<T>(waiting: T | Promise<T>, signal: AbortSignal): Promise<T> {
  if (!(waiting instanceof Promise)) return waiting;
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    waiting.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
