// One call of a route: its caller, and its parts after the contract has checked them.

import { AppError, type BodyOf, type HeadersOf, type ParamsOf, type QueryOf, type Route } from '@pilothouse/contract';
import type { Caller, Guest } from '@pilothouse/store';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CountedAnswer } from '../delivery/counted-answer.ts';
import type { Unsent } from '../delivery/unsent.ts';

export type Call<R extends Route> = {
  caller: CallerOf<R['access']>;
  params: ParamsOf<R>;
  query: QueryOf<R>;
  headers: HeadersOf<R>;
  body: BodyOf<R>;
  from: From;
  /** For what the contract does not describe: cookies and origins. */
  request: SentRequest;
  requestId: string;
  /** Counts what the answer holds in memory, before it is there. */
  counted: CountedAnswer;
  /** Why there is no caller, on a route that leaves this to its handler. */
  refusal?: AppError;
};
type CallerOf<Access extends Route['access']> = Access extends 'public'
  ? undefined
  : Access extends 'share'
    ? Caller | Guest
    : Access extends 'anyone'
      ? Caller | undefined
      : Caller;
export type SentRequest = Pick<FastifyRequest, 'headers' | 'host' | 'protocol'>;
/** Where a request came from, for limits and for the audit. */
export type From = { address: string; userAgent: string | null };

/** Returns the caller, or throws why there is none; a guest only on a route that can be shared. */
export type Authenticate = (request: FastifyRequest, route: Pick<Route, 'area' | 'access'>) => Promise<Caller | Guest>;

/** If true, a token that is no longer valid does not refuse the call: the handler gets the refusal and decides. */
export type IsLenient = (request: FastifyRequest) => boolean;

export function createCalls({ authenticate, unsent }: { authenticate: Authenticate; unsent: Unsent }) {
  /** Called by the route and again by the handler, each of which is enough; the database is asked once. */
  async function identify(
    request: FastifyRequest,
    route: Pick<Route, 'area' | 'access'>,
    isLenient: IsLenient | undefined,
  ): Promise<void> {
    if (route.access === 'public' || request.caller) return;
    request.caller = await authenticate(request, route).catch((error) => {
      if (route.access === 'anyone' && error instanceof AppError && error.code === 'token_missing') return undefined;
      const isOver = error instanceof AppError && (error.code === 'token_expired' || error.code === 'token_invalid');
      if (!isOver || !isLenient?.(request)) throw error;
      request.refusal = error;
      return undefined;
    });
  }

  return {
    identify,

    /** For a call that waited: its login may have ended meanwhile. */
    identifyAgain(...parts: Parameters<typeof identify>): Promise<void> {
      const [request] = parts;
      request.caller = undefined;
      return identify(...parts);
    },

    async callOf<R extends Route>(
      request: FastifyRequest,
      reply: FastifyReply,
      { route, isLenient }: { route: R; isLenient?: IsLenient },
    ) {
      await identify(request, route, isLenient);
      // The schemas have checked the parts, and the line above has set the caller of every protected route.
      const { caller, params, query, headers, body, refusal } = request as unknown as Call<R>;
      const from = { address: request.ip, userAgent: request.headers['user-agent']?.slice(0, 300) ?? null };
      const counted = unsent.of(reply.raw, request);
      return { caller, params, query, headers, body, from, request, requestId: request.id, counted, refusal };
    },
  };
}

declare module 'fastify' {
  interface FastifyRequest {
    caller?: Caller | Guest;
    refusal?: AppError;
  }
}
