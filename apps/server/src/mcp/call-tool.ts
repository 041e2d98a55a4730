// One call of a tool: its arguments are checked, it runs for its caller, and each way to fail becomes words for the model.

import {
  acceptedContent,
  type CallToolRequest,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  isInputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { AppError, type ReplyOf, type Route, routes } from '@pilothouse/contract';
import type { Histogram } from 'prom-client';
import { z } from 'zod';
import { Answer, BytesAnswer } from '../http/answer.ts';
import { Pictures } from '../http/embedded.ts';
import type { Exchange } from '../http/inner-calls.ts';
import { toAppError } from '../http/problem.ts';
import type { Serve } from '../http/serve.ts';
import type { EventHub } from '../live/event-hub.ts';
import { resultOf } from './page-words.ts';
import { refusalOf } from './refusals.ts';
import { waitForTask } from './task-wait.ts';
import type { GivenAnswer, ToolCall, ToolResult } from './tool.ts';
import { toolsByName } from './tools.ts';

export type CallParts = {
  serve: Pick<Serve, 'inner'>;
  events: Pick<EventHub, 'follow'>;
  /** Counts a call that waits among the open streams of its caller, and calls when their right ends. */
  holdOpen(exchange: Exchange, onRevoked: () => void): { release(): void };
  durations: Histogram;
};
/** What a tool is told of its call beside the arguments: of the SDK, or of a call that is served without it. */
export type CallContext = {
  mcpReq: Pick<ServerContext['mcpReq'], '_meta' | 'envelope' | 'signal' | 'notify' | 'requestState' | 'inputResponses'>;
};
/** A request to `/mcp` that is being answered; the signal ends with its client or with the server. */
export type McpExchange = Exchange & { signal: AbortSignal; hold(bytes: number): void };

export async function callTool(
  parts: CallParts,
  exchange: McpExchange,
  { params }: Pick<CallToolRequest, 'params'>,
  context: CallContext,
): Promise<ToolResult> {
  const tool = toolsByName.get(params.name);
  const stop = parts.durations.startTimer({ tool: tool?.name ?? 'none' });
  try {
    if (!tool) throw new AppError('not_found', { detail: `There is no tool ${params.name}.` });
    const args = tool.input.safeParse(params.arguments ?? {});
    if (!args.success) throw badArguments(args.error);
    // The table has lost which arguments belong to which tool; the line above has checked them.
    const answer = await tool.run(args.data as never, toolCallOf(parts, exchange, context));
    stop({ outcome: 'answered' });
    return isInputRequiredResult(answer) ? answer : resultOf(answer);
  } catch (error) {
    const failure = toAppError(error);
    const { id, log } = exchange.request;
    if (failure.code === 'internal') log.error({ err: error, request_id: id, tool: params.name }, 'failed');
    stop({ outcome: failure.code });
    return resultOf(refusalOf(failure, id));
  }
}

const badArguments = ({ issues }: z.ZodError) =>
  new AppError('validation_failed', {
    detail: 'The arguments are not valid.',
    errors: issues.map(({ path, message }) => ({ pointer: `/${path.join('/')}`, message })),
  });

function toolCallOf(parts: CallParts, exchange: McpExchange, context: CallContext): ToolCall {
  const { request, signal, hold } = exchange;
  const callWithPictures: ToolCall['callWithPictures'] = async <R extends Route>(route: R, given: object) => {
    const answer = await parts.serve.inner(route, exchange, given);
    if (answer instanceof BytesAnswer) throw new Error(`${route.path} answers with bytes`);
    if (answer instanceof Answer) return { body: answer.body, pictures: answer.pictures };
    return { body: answer as ReplyOf<R>, pictures: new Pictures() };
  };
  const call: ToolCall['call'] = async (route, given) => (await callWithPictures(route, given)).body;
  const readStatus = async (id: string) => (await call(routes.getTaskStatus, { params: { id } })).status;
  const { events } = parts;
  const holdOpen = (onRevoked: () => void) => parts.holdOpen(exchange, onRevoked);
  const onProgress = progressOf(context);

  return {
    call,
    callWithPictures,
    hold,
    waitFor: (id, ms) => {
      // Most calls wait for nothing, and such a signal costs more than the rest of a short call.
      if (ms <= 0) return readStatus(id);
      const either = AbortSignal.any([signal, context.mcpReq.signal]);
      return waitForTask({ events, readStatus, holdOpen, onProgress, signal: either }, id, ms);
    },
    linkTo: (path) => new URL(path, `${request.protocol}://${request.host}`).href,
    idempotencyKey: keyOf(context),
    canAsk: canAsk(context),
    given: givenOf(context),
  };
}

/** Told only to a client that asked for it. What it is told is no word of a page. */
function progressOf({ mcpReq }: CallContext) {
  const progressToken = mcpReq._meta?.progressToken;
  let last = -1;
  return ({ current_step: progress, total_steps }: { current_step: number; total_steps: number | null }): void => {
    // The protocol wants it to grow; a step may be done again.
    if (progressToken === undefined || progress <= last) return;
    last = progress;
    const params = { progressToken, progress, ...(total_steps !== null && { total: total_steps }) };
    // The client has left, which its signal says too.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

const Key = z.string().min(1).max(200);
function keyOf({ mcpReq }: CallContext): string | undefined {
  const given = mcpReq._meta?.['idempotency-key'];
  if (given === undefined) return undefined;
  const key = Key.safeParse(given);
  if (key.success) return key.data;
  throw new AppError('validation_failed', { detail: '_meta.idempotency-key must be a text of 1 to 200 characters.' });
}

/** A client of an earlier revision cannot be asked: its requests stand alone, and this server keeps nothing between them. */
function canAsk({ mcpReq }: CallContext): boolean {
  // The SDK has checked the envelope, and types only some of its keys.
  const envelope = mcpReq.envelope as { [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } | undefined;
  const elicitation = envelope?.[CLIENT_CAPABILITIES_META_KEY]?.elicitation;
  return elicitation !== undefined && ('form' in elicitation || !('url' in elicitation));
}

const State = z.object({ task_id: z.string(), asked_at: z.string() });
const Content = z.object({ answer: z.string().min(1).max(8000) });
function givenOf({ mcpReq }: CallContext): GivenAnswer | undefined {
  const sent = mcpReq.requestState<string>();
  if (sent === undefined) return undefined;
  const state = State.safeParse(parsed(sent));
  if (!state.success) throw new AppError('validation_failed', { detail: 'The state of the call is not ours.' });
  const content = acceptedContent(mcpReq.inputResponses, 'answer', Content);
  return { taskId: state.data.task_id, askedAt: state.data.asked_at, answer: content?.answer };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
