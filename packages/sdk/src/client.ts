import { type Route, type RouteName, routes } from '@pilothouse/contract';
import { ConnectionError, toError } from './errors.ts';
import { type CallInput, type CallResult, layOut } from './request.ts';

export type ClientOptions = {
  /** Where the server is, for example `http://127.0.0.1:4000`. */
  baseUrl: string;
  /** The access token or API key to send; asked for before every call. */
  token?: () => string | undefined | Promise<string | undefined>;
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
type Method<R extends Route> =
  Record<never, never> extends CallInput<R>
    ? (input?: CallInput<R>, options?: CallOptions) => Promise<CallResult<R>>
    : (input: CallInput<R>, options?: CallOptions) => Promise<CallResult<R>>;

/** One method for each route of the interface, named as in the contract. */
export type Client = { [Name in RouteName]: Method<Routes[Name]> };

/**
 * A client of one Pilothouse. Every method answers with what the interface promises or throws: `ApiError` when the
 * server refused, `ConnectionError` when it could not be reached, and the signal's own reason when you gave up.
 */
export function createClient({ baseUrl, token, timeoutMs = 30_000, fetch: send = fetch }: ClientOptions): Client {
  const call = async (route: Route, input: Record<string, unknown> = {}, options: CallOptions = {}) => {
    const { path, body } = layOut(route, input);
    const headers = new Headers(options.headers);
    const bearer = await token?.();
    if (bearer) headers.set('authorization', `Bearer ${bearer}`);
    if (body !== undefined) headers.set('content-type', 'application/json');
    if (options.idempotencyKey) headers.set('idempotency-key', options.idempotencyKey);

    const late = route.stream ? undefined : AbortSignal.timeout(options.timeoutMs ?? timeoutMs);
    const signal = AbortSignal.any([options.signal, late].filter((one) => one !== undefined));
    try {
      const response = await send(new URL(path, baseUrl), { method: route.method, headers, body, signal });
      if (!response.ok) throw await toError(response);
      if (route.stream || route.bytes) return response;
      return response.status === 204 ? undefined : await response.json();
    } catch (error) {
      if (options.signal?.aborted) throw options.signal.reason;
      if (late?.aborted) throw new ConnectionError(`no answer to ${route.method} ${route.path} in time`, error);
      // What fetch throws when there is no connection, or when it breaks.
      if (error instanceof TypeError) throw new ConnectionError(`cannot reach ${baseUrl}`, error);
      throw error;
    }
  };

  const methods = Object.entries<Route>(routes).map(([name, route]) => [
    name,
    (input?: Record<string, unknown>, options?: CallOptions) => call(route, input, options),
  ]);
  // Built from the same table that the type is derived from.
  return Object.fromEntries(methods) as Client;
}
