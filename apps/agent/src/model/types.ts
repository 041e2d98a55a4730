// What is asked of a model and what it answers, in the words of every vendor at once. Holds no key and no SDK type.

import type { z } from 'zod';

/** A tool that the model may call. The agent runs it; the SDK never does. */
export type ToolDefinition = { name: string; description: string; schema: z.ZodObject };

export type Picture = { mediaType: 'image/jpeg' | 'image/png'; bytes: Uint8Array };

/** One call of an earlier answer, as the history says it again. */
export type PastCall = { id: string; name: string; input: unknown };

/**
 * `cache` marks the end of a prefix that the next request repeats byte for byte. Pictures are only in messages of the
 * user: some vendors write those of tool results as base64 into the text.
 */
export type Message =
  | { role: 'user'; text: string; pictures?: Picture[]; cache?: boolean }
  | { role: 'assistant'; text?: string; calls?: PastCall[]; cache?: boolean }
  | { role: 'tool'; results: { id: string; name: string; text: string; isError?: boolean }[]; cache?: boolean };

export type ModelRequest = {
  /** A name of the registry. */
  model: string;
  system: { text: string; cache?: boolean };
  messages: Message[];
  /** Sent in this order, always the same. */
  tools: ToolDefinition[];
  /** `required`: at least one call of a tool. A name: a call of this tool. `auto` unless given. */
  toolChoice?: 'auto' | 'required' | { name: string };
  maxOutputTokens: number;
  /** Requests with the same key share a cache where the vendor has such keys: the id of the task. */
  cacheKey?: string;
  limits?: Partial<CallLimits>;
};

export type CallLimits = {
  /** From the beginning of the call to the end of the answer. Waiting for a place among other calls does not count. */
  totalMs: number;
  /** Without a further byte, once an answer has begun. */
  stalledMs: number;
};

/** Tokens, as the vendor counts them. `cached` and `cacheWritten` are part of `input`, `reasoning` of `output`. */
export type Usage = { input: number; cached: number; cacheWritten: number; output: number; reasoning: number };

/** `invalid` says in one sentence why the call cannot be run; `input` is then what the model wrote. */
export type ModelCall = { id: string; name: string; input: unknown; invalid?: string };

export type ModelAnswer = {
  toolCalls: ModelCall[];
  text: string;
  /** `length`: the answer was cut at `maxOutputTokens`. */
  finish: 'calls' | 'stop' | 'length' | 'other';
  /** The call was written as text. Small local models do that. */
  isCallFromText: boolean;
  usage: Usage;
  /** Millionths of a dollar; 0 where no price is known. */
  costMicros: number;
  /** Waiting for a place among other calls is not part of it. */
  ms: number;
  /** As the vendor knows it. */
  model: string;
  /** `openai`, `anthropic`, `google`, or the name that the settings give to a compatible server. */
  provider: string;
};
