// Asks a model once: no retry, no loop, no tool that runs by itself. What is thrown is always a ModelFailure.

import { randomUUID } from 'node:crypto';
import { generateText, wrapLanguageModel } from 'ai';
import type { Places } from './concurrency.ts';
import type { ModelFailure } from './failure.ts';
import { costMicros } from './prices.ts';
import type { RequestSizes } from './request-size.ts';
import type { ModelSettings } from './settings.ts';
import { callInText } from './text-call.ts';
import { checkCall, unknownTool } from './tools.ts';
import type { CallLimits, ModelAnswer, ModelCall, ModelRequest, ToolDefinition, Usage } from './types.ts';
import { failure, failureOf } from './vendor-failure.ts';
import { vendorModel } from './vendor-models.ts';
import { vendorRequest, vendorToolChoice } from './vendor-request.ts';
import { AnswerStalled, watchedFetch } from './watched-fetch.ts';

export type Ask = (request: ModelRequest, options: { signal: AbortSignal }) => Promise<ModelAnswer>;

type Result = Awaited<ReturnType<typeof generateText>>;

export function createAsk(parts: {
  models: ModelSettings[];
  places: Places;
  sizes: RequestSizes;
  limits: CallLimits;
}): Ask {
  return async (request, { signal }) => {
    const settings = parts.models.find(({ name }) => name === request.model);
    if (!settings) throw failure('bad_request', { provider: 'none', model: request.model, ms: 0 }, 'unknown model');
    const { provider, model } = settings;
    const giveBack = await parts.places.take(signal).catch(() => {
      throw failure('aborted', { provider, model, ms: 0 });
    });
    try {
      const answer = await callOnce(settings, request, { ...parts.limits, ...request.limits }, signal);
      parts.sizes.learn(request, answer.usage.input);
      return answer;
    } finally {
      giveBack();
    }
  };
}

async function callOnce(
  settings: ModelSettings,
  request: ModelRequest,
  limits: CallLimits,
  signal: AbortSignal,
): Promise<ModelAnswer> {
  const began = performance.now();
  const where = () => ({
    provider: settings.provider,
    model: settings.model,
    ms: Math.round(performance.now() - began),
  });
  const ending = new AbortController();
  const onAbort = () => ending.abort('aborted');
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  const timer = setTimeout(() => ending.abort(new AnswerStalled()), limits.totalMs);
  try {
    const result = await generateText({
      model: wrapLanguageModel({
        model: vendorModel(settings, watchedFetch(limits.stalledMs, ending)),
        middleware: { transformParams: async ({ params }) => ({ ...params, toolChoice: vendorToolChoice(request) }) },
      }),
      ...vendorRequest(request, settings),
      // Retries are of the caller, who counts and records them.
      maxRetries: 0,
      abortSignal: ending.signal,
    });
    return answerOf(result, request, settings, where().ms);
  } catch (error) {
    if (isFailure(error)) throw error;
    throw failureOf(error, ending.signal.aborted ? ending.signal.reason : undefined, where());
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

const isFailure = (error: unknown): error is ModelFailure => error instanceof Error && error.name === 'ModelFailure';

function answerOf(result: Result, request: ModelRequest, settings: ModelSettings, ms: number): ModelAnswer {
  const usage = usageOf(result);
  const { provider, model } = settings;
  const cost = costMicros(usage, settings.price);
  const details = { provider, model, ms, usage, costMicros: cost };
  if (result.finishReason === 'content-filter') throw failure('refused', details);
  if (result.finishReason === 'error') throw failure('unavailable', details);
  const native = result.toolCalls.map((call) => callOf(call, request.tools));
  const written = native.length === 0 ? callInText(result.text, request.tools) : undefined;
  const toolCalls = written
    ? [checkCall({ id: `text-${randomUUID()}`, name: written.name, input: written.input }, request.tools)]
    : native;
  return {
    toolCalls,
    text: written ? written.words : result.text,
    finish: finishOf(result.finishReason, toolCalls.length > 0),
    isCallFromText: written !== undefined,
    usage,
    costMicros: cost,
    ms,
    model,
    provider,
  };
}

function callOf(call: Result['toolCalls'][number], tools: ToolDefinition[]): ModelCall {
  const { toolCallId: id, toolName: name, input } = call;
  const made: ModelCall = { id, name, input };
  if (!('invalid' in call && call.invalid)) return checkCall(made, tools);
  const isKnown = tools.some((tool) => tool.name === name);
  return { ...made, invalid: isKnown ? 'The input is not complete JSON.' : unknownTool(name, tools) };
}

function finishOf(reason: string, hasCalls: boolean): ModelAnswer['finish'] {
  if (reason === 'length') return 'length';
  if (hasCalls) return 'calls';
  return reason === 'stop' ? 'stop' : 'other';
}

function usageOf({ usage }: Result): Usage {
  return {
    input: usage.inputTokens ?? 0,
    cached: usage.inputTokenDetails.cacheReadTokens ?? 0,
    cacheWritten: usage.inputTokenDetails.cacheWriteTokens ?? 0,
    output: usage.outputTokens ?? 0,
    reasoning: usage.outputTokenDetails.reasoningTokens ?? 0,
  };
}
