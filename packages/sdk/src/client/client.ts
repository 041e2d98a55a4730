// The typed client: one method for each route of the contract.

import type { ChatReply, PlanReply, Route, RouteName, routes } from '@pilothouse/contract';
import { type WireRoute, wireRoutes } from '@pilothouse/contract/wire';
import { findLocks } from '../common/tab-lock.ts';
import type { Token } from '../common/token.ts';
import { createProve } from '../shared-tabs/authenticate.ts';
import { createSharedStreams } from '../shared-tabs/tab.ts';
import type { StreamOptions } from '../streams/stream.ts';
import { type CallOptions, createCall, type Input } from './call.ts';
import type { CallInput, CallResult } from './request.ts';
import { createStream } from './stream.ts';

export type ClientOptions = {
  /** Where the server is, for example `http://127.0.0.1:4000`. */
  baseUrl: string;
  /**
   * Returns the access token or API key. Called before every call that needs one, and before every connection of a
   * stream.
   */
  token?: () => Token | Promise<Token>;
  /**
   * The token of a share, to watch a session without a login: `getSession` and `followSession` send it in place of a
   * login. The server refuses it for everything else.
   */
  shareToken?: string;
  /** After this time a call fails. Streams have no timeout. */
  timeoutMs?: number;
  /** With a custom `fetch`, streams are not shared. */
  fetch?: typeof fetch;
  /**
   * In browsers: all tabs follow their streams over one connection, which a shared worker holds, so that six
   * connections to a server are enough for any number of tabs. Streams with the same name are shared, so the name has
   * to identify the user (`createLogin` with `sharesStreams` does that). If there is no `SharedWorker`, or the page may
   * not run one of its own origin, each stream has a connection of its own, as without this option.
   */
  sharedAs?: () => string;
};

type Routes = typeof routes;
type Method<R extends Route> = R extends { stream: unknown }
  ? (input: CallInput<R>, options?: StreamOptions) => CallResult<R>
  : Record<never, never> extends CallInput<R>
    ? (input?: CallInput<R>, options?: CallOptions) => Promise<CallResult<R>>
    : (input: CallInput<R>, options?: CallOptions) => Promise<CallResult<R>>;

/** With `execute: false` it returns the plan; otherwise the ids of the started work. */
type SendChat = {
  (input: CallInput<Routes['sendChat']> & { execute: false }, options?: CallOptions): Promise<PlanReply>;
  (input: CallInput<Routes['sendChat']> & { execute?: true }, options?: CallOptions): Promise<ChatReply>;
};

/** One method for each route of the API, named as in the contract. */
export type Client = { [Name in RouteName]: Name extends 'sendChat' ? SendChat : Method<Routes[Name]> };

/**
 * A client of one Pilothouse server. Every method returns what the contract promises, or throws: `ApiError` if the server
 * refused, `ConnectionError` if it could not be reached, and the signal's reason after an abort.
 *
 * The methods that follow a stream return its events to a `for await` loop, and connect when the loop begins. They
 * reconnect after every interruption and continue where they were, until `end`, a refusal, or an abort. A stream also
 * ends with `reset`: then read the status or the snapshot again, and follow from the cursor in it.
 */
export function createClient({
  baseUrl,
  token,
  shareToken,
  timeoutMs = 30_000,
  fetch: ownFetch,
  sharedAs,
}: ClientOptions): Client {
  const { open, call } = createCall({ baseUrl, token, shareToken, timeoutMs, fetch: ownFetch ?? fetch });
  const prove = createProve({ token, shareToken });
  const login = () => (shareToken === undefined ? (sharedAs?.() ?? '') : `share ${shareToken}`);
  const shared = sharedAs && !ownFetch ? createSharedStreams({ baseUrl, login, prove, locks: findLocks() }) : undefined;
  const stream = createStream({ open, shared, shareToken });

  const methods = Object.entries<WireRoute>(wireRoutes).map(([name, route]) => [
    name,
    route.stream
      ? (input?: Input, options?: StreamOptions) => stream(route, input, options)
      : (input?: Input, options?: CallOptions) => call(route, input, options),
  ]);
  // The names are those of the table that the type is derived from.
  return Object.fromEntries(methods) as Client;
}
