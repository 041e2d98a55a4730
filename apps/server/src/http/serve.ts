import type { BodyOf, HeadersOf, ParamsOf, QueryOf, ReplyOf, Route } from '@pilothouse/contract';
import { AppError, errors, noContent, Problem } from '@pilothouse/contract';
import type { Caller, Guest } from '@pilothouse/store';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type EventStream, openEventStream } from './event-stream.ts';
import { problemType } from './problem.ts';
import type { StreamPlaces } from './stream-places.ts';

const anyBytes = z.string().meta({ contentEncoding: 'binary' });

/** What a handler is given: everything checked against the contract, the caller known. */
export type Call<R extends Route> = {
  caller: R['access'] extends 'public' ? undefined : R['access'] extends 'share' ? Caller | Guest : Caller;
  params: ParamsOf<R>;
  query: QueryOf<R>;
  headers: HeadersOf<R>;
  body: BodyOf<R>;
  from: From;
  requestId: string;
  /** Why there is no caller, where the route leaves that to its handler. */
  refusal?: AppError;
};
/** Where a request came from, for limits and for the audit. */
export type From = { address: string; userAgent: string | null };

type Options = {
  /** Before anything else: a limit by address. */
  first?: (request: FastifyRequest) => Promise<void>;
  /** Where true, a token that is no longer valid does not refuse the call: the handler gets the refusal, and decides. */
  isLenient?: (request: FastifyRequest) => boolean;
};
/** The body of the one way to succeed; an `Answer` where there are several, or where it is no JSON. */
// biome-ignore lint/suspicious/noConfusingVoidType: a command that answers nothing returns nothing.
type Reply<R extends Route> = ReplyOf<R> | Answer<R> | (undefined extends ReplyOf<R> ? void : never);
export type Handler<R extends Route> = (call: Call<R>) => Promise<Reply<R>> | Reply<R>;
/** Begins to follow what the call asks for; whoever has said everything closes the stream. */
export type StreamHandler<R extends Route> = (call: Call<R>, stream: EventStream) => Promise<void>;

/** Puts a handler behind a route of the contract. A route that nobody serves is absent, from the documents too. */
export type Serve = {
  <R extends Route>(route: R, handler: Handler<R>, options?: Options): void;
  stream<R extends Route>(
    route: R,
    handler: (call: Call<R>) => Promise<StreamHandler<R>>,
    /** How many streams the response carries; one, unless it is said. */
    countOf?: (call: Call<R>) => number,
  ): void;
  /** Ends every open stream; viewers resume elsewhere. */
  closeStreams(): void;
};

/** One of several ways to succeed. */
export class Answer<R extends Route> {
  readonly status: number;
  readonly body: ReplyOf<R> | Uint8Array;
  readonly contentType: string | undefined;
  readonly headers: Record<string, string>;
  constructor(
    status: number,
    body: ReplyOf<R> | Uint8Array,
    contentType?: string,
    headers: Record<string, string> = {},
  ) {
    this.status = status;
    this.body = body;
    this.contentType = contentType;
    this.headers = headers;
  }
}

/** Says who calls, or throws why nobody may; a guest, only where the route can be shared. */
export type Authenticate = (request: FastifyRequest, route: Pick<Route, 'area' | 'access'>) => Promise<Caller | Guest>;

type Parts = {
  authenticate: Authenticate;
  /** Told of each stream, to end it when its caller's right ends. */
  onStream: (caller: Caller | Guest | undefined, stream: EventStream) => void;
  places: StreamPlaces;
  /** Off only in tests, which prove that the handlers' own check holds alone. */
  hasRouteHook?: boolean;
};

export function createServe(
  app: FastifyInstance,
  { authenticate, onStream, places, hasRouteHook = true }: Parts,
): Serve {
  /** Checked at the route and again at the handler, each by itself enough; asked of the database once. */
  async function identify(request: FastifyRequest, route: Route, { isLenient }: Options): Promise<void> {
    if (route.access === 'public' || request.caller) return;
    request.caller = await authenticate(request, route).catch((error) => {
      const isOver = error instanceof AppError && (error.code === 'token_expired' || error.code === 'token_invalid');
      if (!isOver || !isLenient?.(request)) throw error;
      request.refusal = error;
      return undefined;
    });
  }

  const common = (route: Route, options: Options = {}) => ({
    method: route.method,
    url: route.path,
    bodyLimit: route.bodyLimitBytes,
    schema: {
      summary: route.summary,
      tags: [route.area],
      security: securityOf(route),
      // Fastify warns of a part that is named and not given.
      ...(route.params && { params: route.params }),
      ...(route.query && { querystring: route.query }),
      ...(route.headers && { headers: route.headers }),
      ...(route.body && { body: route.body }),
      response: { ...successReplies(route), ...problemReplies(route) },
    },
    // Before the body is read: who may not call is not worth parsing for.
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
      await options.first?.(request);
      if (route.stream) places.ofAddress(request.ip, reply.raw);
      if (hasRouteHook) await identify(request, route, options);
    },
  });
  const callOf = async <R extends Route>(request: FastifyRequest, route: R, options: Options = {}) => {
    await identify(request, route, options);
    // The schemas have checked the parts, and the line above has set the caller of every protected route.
    const { caller, params, query, headers, body, refusal } = request as unknown as Call<R>;
    const from = { address: request.ip, userAgent: request.headers['user-agent']?.slice(0, 300) ?? null };
    return { caller, params, query, headers, body, from, requestId: request.id, refusal };
  };

  const streams = new Set<EventStream>();
  const serve: Serve = (route, handler, options) => {
    const [status = 200, ...others] = Object.keys(route.replies).map(Number);
    app.route({
      ...common(route, options),
      handler: async (request, reply) => {
        const answer = await handler(await callOf(request, route, options));
        if (answer instanceof Answer) {
          reply.headers(answer.headers);
          if (isKnown(answer.headers.etag, request.headers['if-none-match'])) return answerWith(reply, 304, undefined);
          if (answer.contentType) reply.type(answer.contentType);
          return answerWith(reply, answer.status, answer.body);
        }
        if (others.length > 0) throw new Error(`${route.path} must say which way it succeeded`);
        return answerWith(reply, status, answer);
      },
    });
  };
  serve.stream = (route, handler, countOf = () => 1) => {
    app.route({
      ...common(route),
      exposeHeadRoute: false,
      handler: async (request, reply) => {
        const call = await callOf(request, route);
        const count = countOf(call);
        if (request.caller) places.ofCaller(request.caller, count, reply.raw);
        // Whatever refuses the call does so before the stream begins, as an ordinary problem.
        const follow = await handler(call);
        reply.hijack();
        const stream = openEventStream(reply.raw, request.id, count);
        streams.add(stream);
        onStream(request.caller, stream);
        stream.onEnd(() => streams.delete(stream));
        await follow(call, stream).catch((error) => {
          request.log.warn({ err: error, request_id: request.id }, 'a stream broke');
          stream.close();
        });
      },
    });
  };
  serve.closeStreams = () => {
    for (const stream of streams) stream.close();
  };
  return serve;
}

/** Whether the caller holds these very bytes already (RFC 9110, 13.1.2). */
function isKnown(etag: string | undefined, ifNoneMatch: string | undefined): boolean {
  if (etag === undefined || ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((given) => given.trim() === '*' || given.trim().replace(/^W\//, '') === etag);
}

const securityOf = ({ access }: Route): Record<string, string[]>[] => {
  if (access === 'public') return [];
  return access === 'share' ? [{ bearer: [] }, { share: [] }] : [{ bearer: [] }];
};

/** The statuses of a route are data here, and so no type can hold them. */
const answerWith = (reply: FastifyReply, status: number, body: unknown) => reply.code(status).send(body);

function successReplies(route: Route) {
  const raw = route.stream
    ? { 'text/event-stream': { schema: route.stream } }
    : Object.fromEntries((route.bytes ?? []).map((type) => [type, { schema: anyBytes }]));
  if (Object.keys(raw).length > 0) {
    const wrapped = route.replies[200] && { 'application/json': { schema: route.replies[200] } };
    return { 200: { description: 'Success', content: { ...raw, ...wrapped } } };
  }
  return Object.fromEntries(
    Object.entries(route.replies).map(([status, reply]) => [
      status,
      reply === noContent ? noContent : { description: 'Success', content: { 'application/json': { schema: reply } } },
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
    caller?: Caller | Guest;
    refusal?: AppError;
  }
}
