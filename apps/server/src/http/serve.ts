import type { BodyOf, HeadersOf, ParamsOf, QueryOf, ReplyOf, Route } from '@pilothouse/contract';
import { errors, noContent, Problem } from '@pilothouse/contract';
import type { Caller } from '@pilothouse/store';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { problemType } from './problem.ts';

/** What a handler is given: everything checked against the contract, the caller known. */
export type Call<R extends Route> = {
  caller: R['access'] extends 'public' ? undefined : Caller;
  params: ParamsOf<R>;
  query: QueryOf<R>;
  headers: HeadersOf<R>;
  body: BodyOf<R>;
};
export type Handler<R extends Route> = (call: Call<R>) => Promise<ReplyOf<R>> | ReplyOf<R>;
/** Puts a handler behind a route of the contract. A route that nobody serves is absent, from the documents too. */
export type Serve = <R extends Route>(route: R, handler: Handler<R>) => void;

/** Says who calls, or throws why nobody may. */
export type Authenticate = (request: FastifyRequest) => Promise<Caller>;

export function createServe(app: FastifyInstance, authenticate: Authenticate): Serve {
  return (route, handler) => {
    const [status, ...others] = Object.keys(route.replies).map(Number);
    if (status === undefined || others.length > 0) throw new Error(`${route.path} has not exactly one way to succeed`);
    app.route({
      method: route.method,
      url: route.path,
      bodyLimit: route.bodyLimitBytes,
      schema: {
        summary: route.summary,
        tags: [route.area],
        security: route.access === 'public' ? [] : [{ bearer: [] }],
        // Fastify warns of a part that is named and not given.
        ...(route.params && { params: route.params }),
        ...(route.query && { querystring: route.query }),
        ...(route.headers && { headers: route.headers }),
        ...(route.body && { body: route.body }),
        response: { ...successReplies(route), ...problemReplies(route) },
      },
      // Before the body is read: who may not call is not worth parsing for.
      onRequest: async (request) => {
        if (route.access !== 'public') request.caller = await authenticate(request);
      },
      handler: async (request, reply) => {
        // The schemas above have checked the parts; the hook above has set the caller of every protected route.
        const { caller, params, query, headers, body } = request as unknown as Call<typeof route>;
        const answer = await handler({ caller, params, query, headers, body });
        return reply.code(status).send(answer);
      },
    });
  };
}

function successReplies(route: Route) {
  return Object.fromEntries(
    Object.entries(route.replies).map(([status, reply]) => [
      status,
      { description: 'Success', content: reply === noContent ? {} : { 'application/json': { schema: reply } } },
    ]),
  );
}

function problemReplies(route: Route) {
  const possible = [...route.errors, 'overloaded', 'internal'] as const;
  const statuses = new Set(possible.map((code) => errors[code].status));
  return Object.fromEntries(
    [...statuses].map((status) => [
      status,
      {
        description: possible.filter((code) => errors[code].status === status).join(', '),
        content: { [problemType]: { schema: Problem } },
      },
    ]),
  );
}

declare module 'fastify' {
  interface FastifyRequest {
    caller?: Caller;
  }
}
