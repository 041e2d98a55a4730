import { type ChatReply, type PlanReply, type Route, type RouteName, routes } from '@pilothouse/contract';
import { followBundle } from './bundle.ts';
import { ConnectionError, isApiError } from './errors.ts';
import { isKnown, kindsOf } from './event-kinds.ts';
import { toError } from './refusal.ts';
import { type CallInput, type CallResult, layOut } from './request.ts';
import { createProve } from './shared/prove.ts';
import { createSharedStreams } from './shared/tab.ts';
import { follow, type Position, type StreamOptions } from './stream.ts';
import { findLocks } from './tab-lock.ts';
import type { Token } from './token.ts';
import { unlessAborted } from './unless-aborted.ts';

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
  /** With a `fetch` of your own no streams are shared. */
  fetch?: typeof fetch;
  /**
   * In browsers: all tabs follow over one connection, which a shared worker holds, so that six connections to a server
   * are enough for any number of them. Says whose streams these are: those of the same name share, so it has to name
   * who is logged in (`createLogin` does that, with `sharesStreams`). Where there is no `SharedWorker`, or a page may not
   * run one of its own origin, each stream has a connection of its own, as without this.
   */
  sharedAs?: () => string;
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
  fetch: ownFetch,
  sharedAs,
}: ClientOptions): Client {
  const send = ownFetch ?? fetch;
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

  const prove = createProve({ token, shareToken });
  const nameOf = () => (shareToken === undefined ? (sharedAs?.() ?? '') : `share ${shareToken}`);
  const shared =
    sharedAs && !ownFetch ? createSharedStreams({ baseUrl, login: nameOf, prove, locks: findLocks() }) : undefined;
  const kindOf = (route: Route): 'live' | 'task' | undefined => {
    if (route === routes.followSession) return 'live';
    // A share opens sessions only.
    return route.stream === routes.followTask.stream && shareToken === undefined ? 'task' : undefined;
  };

  const stream = (route: Route, { cursor, ...input }: Input = {}, { headers, ...options }: StreamOptions = {}) => {
    const openStream = (given: Input, signal: AbortSignal, lastEventId?: string) => {
      const all = new Headers(headers);
      all.set('accept', 'text/event-stream');
      if (lastEventId !== undefined) all.set('last-event-id', lastEventId);
      return open({ route, input: given, headers: all, signal });
    };
    if (route === routes.followStreams) {
      const connect = (streams: string[], signal: AbortSignal) => openStream({ stream: streams }, signal);
      // As the type of the method has it.
      return followBundle({ ...options, streams: input.stream as string[], connect, isKnown });
    }
    const kinds = kindsOf(route.stream);
    const alone = (from: unknown) => {
      const connect = (position: Position, signal: AbortSignal) =>
        openStream({ ...input, cursor: position.cursor }, signal, position.lastEventId);
      return follow({ ...options, connect, kinds, cursor: from as string | undefined });
    };
    const kind = kindOf(route);
    // Headers of one stream are not those of others.
    if (!shared || !kind || headers) return alone(cursor);
    const wanted = { kind, id: String(input.id), cursor: cursor as string | undefined };
    return shared.follow(wanted, { ...options, kinds, alone });
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
