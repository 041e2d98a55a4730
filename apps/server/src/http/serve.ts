import type { BodyOf, HeadersOf, ParamsOf, QueryOf, ReplyOf, Route } from '@pilothouse/contract';
import { errors, noContent, Problem } from '@pilothouse/contract';
import type { Caller } from '@pilothouse/store';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type EventStream, openEventStream } from './event-stream.ts';
import { problemType } from './problem.ts';

const anyBytes = z.string().meta({ contentEncoding: 'binary' });

/** What a handler is given: everything checked against the contract, the caller known. */
export type Call<R extends Route> = {
  caller: R['access'] extends 'public' ? undefined : Caller;
  params: ParamsOf<R>;
  query: QueryOf<R>;
  headers: HeadersOf<R>;
  body: BodyOf<R>;
};
/** The body of the one way to succeed; an `Answer` where there are several, or where it is no JSON. */
type Reply<R extends Route> = ReplyOf<R> | Answer<R>;
export type Handler<R extends Route> = (call: Call<R>) => Promise<Reply<R>> | Reply<R>;
/** Follows what the call asks for until the viewer leaves or everything was said. */
export type StreamHandler<R extends Route> = (call: Call<R>, stream: EventStream) => Promise<void>;

/** Puts a handler behind a route of the contract. A route that nobody serves is absent, from the documents too. */
export type Serve = {
  <R extends Route>(route: R, handler: Handler<R>): void;
  stream<R extends Route>(route: R, handler: (call: Call<R>) => Promise<StreamHandler<R>>): void;
  /** Ends every open stream; viewers resume elsewhere. */
  closeStreams(): void;
};

/** One of several ways to succeed. */
export class Answer<R extends Route> {
  readonly status: number;
  readonly body: ReplyOf<R> | Uint8Array;
  readonly contentType: string | undefined;
  constructor(status: number, body: ReplyOf<R> | Uint8Array, contentType?: string) {
    this.status = status;
    this.body = body;
    this.contentType = contentType;
  }
}

/** Says who calls, or throws why nobody may. */
export type Authenticate = (request: FastifyRequest) => Promise<Caller>;

export function createServe(app: FastifyInstance, authenticate: Authenticate): Serve {
  const common = (route: Route) => ({
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
    onRequest: async (request: FastifyRequest) => {
      if (route.access !== 'public') request.caller = await authenticate(request);
    },
  });
  // The schemas have checked the parts; the hook has set the caller of every protected route.
  const callOf = <R extends Route>(request: FastifyRequest) => {
    const { caller, params, query, headers, body } = request as unknown as Call<R>;
    return { caller, params, query, headers, body };
  };

  const streams = new Set<EventStream>();
  const serve: Serve = (route, handler) => {
    const [status = 200, ...others] = Object.keys(route.replies).map(Number);
    app.route({
      ...common(route),
      handler: async (request, reply) => {
        const answer = await handler(callOf(request));
        if (answer instanceof Answer) {
          if (answer.contentType) reply.type(answer.contentType);
          return answerWith(reply, answer.status, answer.body);
        }
        if (others.length > 0) throw new Error(`${route.path} must say which way it succeeded`);
        return answerWith(reply, status, answer);
      },
    });
  };
  serve.stream = (route, handler) => {
    app.route({
      ...common(route),
      exposeHeadRoute: false,
      handler: async (request, reply) => {
        const call = callOf<typeof route>(request);
        // Whatever refuses the call does so before the stream begins, as an ordinary problem.
        const follow = await handler(call);
        reply.hijack();
        const stream = openEventStream(reply.raw, request.id);
        streams.add(stream);
        stream.signal.addEventListener('abort', () => streams.delete(stream));
        await follow(call, stream)
          .catch((error) => request.log.warn({ err: error }, 'a stream broke'))
          .finally(() => stream.close());
      },
    });
  };
  serve.closeStreams = () => {
    for (const stream of streams) stream.close();
  };
  return serve;
}

/** The statuses of a route are data here, and so no type can hold them. */
const answerWith = (reply: FastifyReply, status: number, body: unknown) => reply.code(status).send(body);

function successReplies(route: Route) {
  const raw = route.stream
    ? { 'text/event-stream': { schema: route.stream } }
    : Object.fromEntries((route.bytes ?? []).map((type) => [type, { schema: anyBytes }]));
  if (Object.keys(raw).length > 0) return { 200: { description: 'Success', content: raw } };
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
