// The bus of a process: two connections, one for control and one for frames, with typed messages.

import type { Wait } from '../wire/deadline.ts';
import type { Lane, MessageDefinition, RequestDefinition } from '../wire/define.ts';
import type { Problem } from '../wire/problem.ts';
import type { Filter, Tokens } from '../wire/subject.ts';
import { type BusStatus, type Credentials, type Link, openLink, type Proof } from './link.ts';
import type { ListenOptions } from './listen.ts';
import { type NewestPublisher, type NewestSubscription, publishNewest, subscribeNewest } from './newest.ts';
import { type PublishResult, publish } from './publish.ts';
import { type RequestResult, type RequestTracing, request, tracedRequest } from './request.ts';
import { type Handler, type Responder, respond } from './respond.ts';
import { type Consumer, type Subscription, subscribe } from './subscribe.ts';

export type BusOptions = (Credentials | Proof) & {
  /** How long to try for the first connection: a process may be started before its NATS. */
  connectTimeoutMs?: number;
  signal?: AbortSignal;
  onStatus?: (status: BusStatus) => void;
  onProblem?: (problem: Problem) => void;
  /** Follows requests to other processes, and those of others; not at all by default. */
  tracing?: RequestTracing | undefined;
};

export interface Bus {
  request<Name extends string, Open extends Name, In, Out, ReplyIn, ReplyOut>(
    definition: RequestDefinition<Name, Open, In, Out, ReplyIn, ReplyOut>,
    to: Tokens<Name>,
    message: In,
    wait: Wait,
  ): Promise<RequestResult<ReplyOut>>;
  respond<Name extends string, Open extends Name, In, Out, ReplyIn, ReplyOut>(
    definition: RequestDefinition<Name, Open, In, Out, ReplyIn, ReplyOut>,
    filter: Filter<Name, Open>,
    handler: Handler<Name, Out, ReplyIn>,
    options?: ListenOptions,
  ): Responder;
  publish<Name extends string, Open extends Name, In, Out>(
    definition: MessageDefinition<Name, Open, In, Out>,
    to: Tokens<Name>,
    message: In,
  ): PublishResult;
  publishNewest<Name extends string, Open extends Name, In, Out>(
    definition: MessageDefinition<Name, Open, In, Out>,
    to: Tokens<Name>,
  ): NewestPublisher<In>;
  subscribe<Name extends string, Open extends Name, In, Out>(
    definition: MessageDefinition<Name, Open, In, Out>,
    filter: Filter<Name, Open>,
    consumer: Consumer<Name, Out>,
    options?: ListenOptions,
  ): Subscription;
  subscribeNewest<Name extends string, Open extends Name, In, Out>(
    definition: MessageDefinition<Name, Open, In, Out>,
    filter: Filter<Name, Open>,
    consumer: Consumer<Name, Out>,
    options?: ListenOptions,
  ): NewestSubscription;
  /** By the last known status; may lag behind if the server died silently. */
  isConnected(): boolean;
  /** How long ago the connection for control came back; 0 while it is down, Infinity where it never broke. */
  steadyForMs(): number;
  /** Calls the listener each time one of the two connections is back after it broke; returns a function that removes it. */
  onBack(listener: () => void): () => void;
  /** Whether the server answers on both connections within the time. Never rejects. */
  ping(wait: Wait): Promise<boolean>;
  /** Responders finish their requests, subscriptions drain, connections close; by force at the deadline. */
  close(options?: { timeoutMs?: number }): Promise<void>;
}

/** Rejects if NATS refuses the credentials, or is not reachable in time. */
export async function connectBus(options: BusOptions): Promise<Bus> {
  const onStatus = quiet(options.onStatus);
  const onProblem = quiet(options.onProblem);
  const wait = { timeoutMs: options.connectTimeoutMs ?? 10_000, signal: options.signal };
  const links = await openBoth((lane) => openLink(lane, options, onStatus, wait));
  const all = Object.values(links);
  const responders = new Set<Responder>();
  const { tracing } = options;

  return {
    request: (definition, to, message, requestWait) =>
      tracing
        ? tracedRequest(links.control, definition, to, message, { ...requestWait, tracing })
        : request(links.control, definition, to, message, requestWait),
    respond: (definition, filter, handler, listenOptions) => {
      const responder = respond(links.control, definition, filter, handler, onProblem, { ...listenOptions, tracing });
      responders.add(responder);
      const signal = listenOptions?.signal;
      const forget = () => {
        responders.delete(responder);
        signal?.removeEventListener('abort', forget);
      };
      signal?.addEventListener('abort', forget, { once: true });
      return { ...responder, close: (closeOptions) => responder.close(closeOptions).finally(forget) };
    },
    publish: (definition, to, message) => publish(links[definition.lane], definition, to, message),
    publishNewest: (definition, to) => publishNewest(links[definition.lane], definition, to),
    subscribe: (definition, filter, consumer, listenOptions) =>
      subscribe(links[definition.lane], definition, filter, consumer, onProblem, listenOptions),
    subscribeNewest: (definition, filter, consumer, listenOptions) =>
      subscribeNewest(links[definition.lane], definition, filter, consumer, onProblem, listenOptions),
    isConnected: () => all.every((link) => link.isConnected()),
    steadyForMs: links.control.steadyForMs,
    onBack: (listener) => {
      const forget = all.map((link) => link.onBack(listener));
      return () => forget.forEach((one) => void one());
    },
    ping: async (pingWait) => (await Promise.all(all.map((link) => link.ping(pingWait)))).every(Boolean),
    close: async ({ timeoutMs = 2000 } = {}) => {
      await Promise.all([...responders].map((responder) => responder.close({ timeoutMs })));
      await Promise.all(all.map((link) => link.close(timeoutMs)));
    },
  };
}

async function openBoth(open: (lane: Lane) => Promise<Link>): Promise<Record<Lane, Link>> {
  const [control, frames] = await Promise.allSettled([open('control'), open('frames')]);
  if (control.status === 'fulfilled' && frames.status === 'fulfilled') {
    return { control: control.value, frames: frames.value };
  }
  // Both connections or none.
  if (control.status === 'fulfilled') await control.value.close(1000);
  if (frames.status === 'fulfilled') await frames.value.close(1000);
  throw control.status === 'rejected' ? control.reason : (frames as PromiseRejectedResult).reason;
}

// Called from inside the reader of a connection, which an exception would end: a failing log must not.
function quiet<Event>(report: ((event: Event) => void) | undefined): (event: Event) => void {
  return (event) => {
    try {
      report?.(event);
    } catch {
      // There is nowhere left to report it.
    }
  };
}
