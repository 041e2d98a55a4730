// Sends one request of the API: with its token, renewed once if the server refuses it.

import type { WireRoute } from '@pilothouse/contract/wire';
import { ConnectionError, isApiError } from '../common/errors.ts';
import { toError } from '../common/refusal.ts';
import type { Token } from '../common/token.ts';
import { unlessAborted } from '../common/unless-aborted.ts';
import { layOut } from './request.ts';

export type CallOptions = {
  signal?: AbortSignal;
  timeoutMs?: number;
  /** Sent twice with the same key, a chat starts one task. */
  idempotencyKey?: string;
  headers?: Record<string, string>;
  /** In browsers: the request goes on when its page is closed. */
  keepalive?: boolean;
};
export type Input = Record<string, unknown>;
export type OpenRequest = (request: {
  route: WireRoute;
  input: Input;
  headers: Headers;
  signal: AbortSignal;
  keepalive?: boolean;
}) => Promise<Response>;

type Options = {
  baseUrl: string;
  token: (() => Token | Promise<Token>) | undefined;
  shareToken: string | undefined;
  timeoutMs: number;
  fetch: typeof fetch;
};

export function createCall({ baseUrl, token, shareToken, timeoutMs, fetch }: Options) {
  const send = async (request: Parameters<OpenRequest>[0], bearer: string | undefined) => {
    const { route, input, headers, signal, keepalive } = request;
    const { path, body } = layOut(route, input);
    if (bearer) headers.set('authorization', `Bearer ${bearer}`);
    if (body !== undefined) headers.set('content-type', 'application/json');
    for (const [name, value] of Object.entries(route.headers ?? {})) headers.set(name, value);
    const address = new URL(path, baseUrl);
    const response = await fetch(address, { method: route.method, headers, body, signal, keepalive }).catch(
      (error: unknown) => {
        // fetch throws a TypeError if there is no connection, or if it breaks.
        throw error instanceof TypeError ? new ConnectionError(`cannot reach ${baseUrl}`, error) : error;
      },
    );
    // The caller has the bytes already, and said so with `if-none-match`.
    const isKnown = response.status === 304 && route.hasBytes;
    if (!response.ok && !isKnown) throw await toError(response);
    return response;
  };

  const open: OpenRequest = async (request) => {
    const { route, signal, headers } = request;
    if (shareToken !== undefined && route.access === 'share') {
      headers.set('x-share-token', shareToken);
      return send(request, undefined);
    }
    const current = route.access === 'public' ? undefined : await unlessAborted(token?.(), signal);
    if (current === undefined || typeof current === 'string') return send(request, current);
    try {
      return await send(request, current.value);
    } catch (error) {
      if (!isTokenRefused(error)) throw error;
      const renewed = await unlessAborted(current.renew(), signal);
      if (renewed === undefined) throw error;
      // Safe for every method: a request that was refused for its token did nothing.
      return send(request, renewed);
    }
  };

  const call = async (route: WireRoute, input: Input = {}, options: CallOptions = {}) => {
    const headers = new Headers(options.headers);
    if (options.idempotencyKey) headers.set('idempotency-key', options.idempotencyKey);
    const late = AbortSignal.timeout(options.timeoutMs ?? timeoutMs);
    const signal = options.signal ? AbortSignal.any([options.signal, late]) : late;
    try {
      const response = await open({ route, input, headers, signal, keepalive: options.keepalive });
      if (route.hasBytes) return response;
      return response.status === 204 ? undefined : await response.json();
    } catch (error) {
      if (options.signal?.aborted) throw options.signal.reason;
      if (late.aborted) throw new ConnectionError(`no answer to ${route.method} ${route.path} in time`, error);
      // The body broke off, or is not JSON: then it is the page of a proxy in between.
      const isUnreadable = error instanceof TypeError || error instanceof SyntaxError;
      if (isUnreadable) throw new ConnectionError(`the answer of ${baseUrl} cannot be read`, error);
      throw error;
    }
  };

  return { open, call };
}

function isTokenRefused(error: unknown): boolean {
  return isApiError(error, 'token_expired') || isApiError(error, 'token_invalid');
}
