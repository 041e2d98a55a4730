// Calls of routes from inside this server, for other interfaces over the same operations: the same limits, checks and handler as
// over HTTP, for the caller of the request that is being answered. Never a way around them.

import { AppError, type BodyOf, type HeadersOf, type ParamsOf, type QueryOf, type Route } from '@pilothouse/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { createCalls } from './call.ts';
import type { CallLimits } from './call-limits.ts';

/** The request that is being answered, after its caller is known. */
export type Exchange = { request: FastifyRequest; reply: FastifyReply };
/** The parts of a call as a caller sends them: not checked yet. */
export type InnerParts = { params?: object; query?: object; headers?: object; body?: unknown };
/** The parts of a call after the contract has checked them. */
export type CheckedParts<R extends Route> = {
  params: ParamsOf<R>;
  query: QueryOf<R>;
  headers: HeadersOf<R>;
  body: BodyOf<R>;
};
// The handlers of all routes lie in one table, so their types are those of the caller who names the route.
type Run = (exchange: Exchange, parts: CheckedParts<Route>) => Promise<unknown>;

export function createInnerCalls(
  limits: Pick<CallLimits, 'refuseKnown' | 'spend' | 'turn'>,
  { identifyAgain }: Pick<ReturnType<typeof createCalls>, 'identifyAgain'>,
) {
  const handlers = new Map<Route, Run>();

  return {
    add(route: Route, run: Run): void {
      handlers.set(route, run);
    },

    /** What the handler of the route returns; throws as it does, and what the contract does not allow. */
    async call(route: Route, exchange: Exchange, parts: InnerParts): Promise<unknown> {
      const run = handlers.get(route);
      if (!run) throw new Error(`${route.method} ${route.path} is not served`);
      await limits.refuseKnown(route, exchange.request, exchange.reply);
      await limits.spend(route, exchange.request);
      if (await limits.turn(route, exchange.request, exchange.reply))
        await identifyAgain(exchange.request, route, undefined);
      // The schemas make these types true, for the route that was named.
      return run(exchange, {
        params: check(route.params, parts.params ?? {}, 'params'),
        query: check(route.query, parts.query ?? {}, 'query'),
        headers: check(route.headers, parts.headers ?? {}, 'headers'),
        body: check(route.body, parts.body, 'body'),
      } as CheckedParts<Route>);
    },
  };
}

function check(schema: z.ZodType | undefined, value: unknown, part: string): unknown {
  if (!schema) return part === 'body' ? undefined : {};
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  throw new AppError('validation_failed', {
    detail: `The ${part} is not valid.`,
    errors: checked.error.issues.map(({ path, message }) => ({ pointer: `/${[part, ...path].join('/')}`, message })),
  });
}
