// Puts a handler behind a route of the contract: caller, checks, limits, answer. A route without a handler does not exist,
// in the documents either.

import type { ReplyOf, Route } from '@pilothouse/contract';
import { type Caller, type Guest, isGuest } from '@pilothouse/store';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Unsent } from '../delivery/unsent.ts';
import { type EventStream, openEventStream } from '../sse/event-stream.ts';
import type { StreamLimits } from '../sse/stream-limits.ts';
import { Answer, BytesAnswer, sendAnswer, sendBytes, sendStatus } from './answer.ts';
import { type Authenticate, type Call, createCalls, type IsLenient } from './call.ts';
import type { CallLimits } from './call-limits.ts';
import { createInnerCalls, type Exchange, type InnerParts } from './inner-calls.ts';
import { createReadsInTurn } from './reads-in-turn.ts';
import { type CallerTraces, spanOfRequest, withinSpan } from './request-span.ts';
import { schemaOf } from './route-schema.ts';
import { createStreamedAnswers, StreamedAnswer, type TrackAnswer } from './streamed-answers.ts';

type RouteOptions = {
  /** Before anything else: a limit by address. */
  first?: (request: FastifyRequest) => Promise<void>;
  isLenient?: IsLenient;
};
/** The body of the one way to succeed; an `Answer` if there are several, or if it has pictures. */
// biome-ignore lint/suspicious/noConfusingVoidType: a command that answers nothing returns nothing.
type Nothing<R extends Route> = undefined extends ReplyOf<R> ? void : never;
type Reply<R extends Route> = ReplyOf<R> | Answer<R> | BytesAnswer | StreamedAnswer | Nothing<R>;
type Handler<R extends Route> = (call: Call<R>) => Promise<Reply<R>> | Reply<R>;
/** Writes the stream, and closes it after the last event. */
type StreamHandler<R extends Route> = (call: Call<R>, stream: EventStream) => Promise<void>;

export type Serve = {
  <R extends Route>(route: R, handler: Handler<R>, options?: RouteOptions): void;
  stream<R extends Route>(
    route: R,
    handler: (call: Call<R>) => Promise<StreamHandler<R>>,
    /** How many streams the response carries; one by default. */
    countOf?: (call: Call<R>) => number,
  ): void;
  /** A path of another protocol, for callers who are logged in. Its handler sends the answer itself. */
  other(path: OtherPath, handler: (exchange: Exchange) => Promise<unknown>): void;
  /** The answer of a route to the caller of a request to such a path. It counts for the limits of the route. */
  inner<R extends Route>(route: R, exchange: Exchange, parts: InnerParts): Promise<Exclude<Reply<R>, StreamedAnswer>>;
  /** Ends every open stream; viewers resume at another server. */
  closeStreams(): void;
};
/** `area` is what an API key opens or not, as for the routes of the contract. */
export type OtherPath = Pick<Route, 'method' | 'access' | 'area' | 'bodyLimitBytes'> & { path: string };

type Options = {
  authenticate: Authenticate;
  /** Called with each stream, to end it when its caller's right ends. */
  onStream: (caller: Caller | Guest | undefined, stream: EventStream) => void;
  /** The same with each answer that is made while it is read. */
  onStreamed: TrackAnswer;
  streamLimits: StreamLimits;
  unsent: Unsent;
  callLimits: CallLimits;
  /** Off only in tests, which prove that the handlers' own check is enough. */
  hasRouteHook?: boolean;
  callerTraces?: CallerTraces;
};

export function createServe(app: FastifyInstance, options: Options): Serve {
  const { authenticate, onStream, streamLimits, unsent, callLimits, hasRouteHook = true, callerTraces } = options;
  const calls = createCalls({ authenticate, unsent });
  const inTurn = createInTurn(callLimits);
  const streams = new Set<EventStream>();
  const streamed = createStreamedAnswers(streamLimits, options.onStreamed);
  const inner = createInnerCalls(callLimits, calls);

  const common = (route: Route, { first, isLenient }: RouteOptions = {}) => ({
    method: route.method,
    url: route.path,
    bodyLimit: route.bodyLimitBytes,
    schema: schemaOf(route),
    // Before the body is read: the body of a refused call is not parsed.
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
      if (route.limit === 'write') request.span = spanOfRequest(request, route, callerTraces);
      await first?.(request);
      if (route.stream) streamLimits.ofAddress(request.ip, reply.raw);
      await callLimits.refuseKnown(route, request, reply);
      if (hasRouteHook) await calls.identify(request, route, isLenient);
      await callLimits.spend(route, request);
      if (await callLimits.turn(route, request, reply)) await calls.identifyAgain(request, route, isLenient);
    },
  });
  const serve: Serve = (route, handler, { first, isLenient } = {}) => {
    const [status = 200, ...others] = Object.keys(route.replies).map(Number);
    inner.add(route, async (exchange, parts) => {
      const call = await calls.callOf(exchange.request, exchange.reply, { route });
      // The contract has checked the parts, which take the place of those of the request.
      return inTurn(route, exchange, () => handler({ ...call, ...parts } as typeof call));
    });
    app.route({
      ...common(route, { first, isLenient }),
      handler: async (request, reply) => {
        const call = await calls.callOf(request, reply, { route, isLenient });
        const answer = await withinSpan(request, () => inTurn(route, { request, reply }, () => handler(call)));
        if (answer instanceof BytesAnswer) return sendBytes(answer, { request, reply, counted: call.counted });
        if (answer instanceof StreamedAnswer) return streamed.send(answer, { reply, counted: call.counted });
        if (answer instanceof Answer) return sendAnswer(answer, { reply, counted: call.counted });
        if (others.length > 0) throw new Error(`${route.path} must say which way it succeeded`);
        return sendStatus(reply, status, answer);
      },
    });
  };
  serve.stream = (route, handler, countOf = () => 1) => {
    app.route({
      ...common(route),
      exposeHeadRoute: false,
      handler: async (request, reply) => {
        const call = await calls.callOf(request, reply, { route });
        const count = countOf(call);
        call.counted.check();
        if (request.caller) streamLimits.ofCaller(request.caller, count, reply.raw);
        // The handler refuses a call before the stream begins, as an ordinary problem.
        const follow = await inTurn(route, { request, reply }, () => handler(call));
        reply.hijack();
        const stream = openEventStream(reply.raw, { requestId: request.id, streams: count, counted: call.counted });
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
  serve.other = (given, handler) => addOtherPath(app, { ...calls, callerTraces }, given, handler);
  // The table of handlers does not know the types of each route.
  serve.inner = (route, exchange, parts) => inner.call(route, exchange, parts) as never;
  serve.closeStreams = () => {
    for (const stream of streams) stream.close();
    streamed.close();
  };
  return serve;
}

/** Its caller has to be logged in; everything else of it is the business of its handler. */
function addOtherPath(
  app: FastifyInstance,
  { identify, callerTraces }: Pick<ReturnType<typeof createCalls>, 'identify'> & Pick<Options, 'callerTraces'>,
  { method, path, access, area, bodyLimitBytes }: OtherPath,
  handler: (exchange: Exchange) => Promise<unknown>,
): void {
  app.route({
    ...{ method, url: path, bodyLimit: bodyLimitBytes, schema: { hide: true } },
    onRequest: (request) => {
      request.span = spanOfRequest(request, { method, path }, callerTraces);
      return identify(request, { access, area }, undefined);
    },
    handler: (request, reply) => withinSpan(request, () => handler({ request, reply })),
  });
}

/** The reads of one caller wait for each other. What quotas refuse of others is counted. */
function createInTurn({ counting }: Pick<CallLimits, 'counting'>) {
  const reads = createReadsInTurn();
  return <T>({ method }: Route, { request, reply }: Exchange, work: () => Promise<T> | T) => {
    const { caller } = request;
    if (method !== 'GET') return counting(request, work);
    return caller ? reads.run(isGuest(caller) ? caller.shareId : caller.id, reply.raw, work) : work();
  };
}
