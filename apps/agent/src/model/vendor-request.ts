// Our request in the words of the SDK: messages, pictures, marks of the cache, tools that nothing runs.

import { jsonSchema, type ModelMessage, type SystemModelMessage, type ToolSet, tool } from 'ai';
import type { ModelSettings } from './settings.ts';
import { jsonSchemaOf } from './tools.ts';
import type { Message, ModelRequest } from './types.ts';

/** Anthropic takes this many marks in one request; the last ones are kept, as they cover the most. */
const maxMarks = 4;

type VendorOptions = Record<string, Record<string, string | boolean | { type: string }>>;
const mark: VendorOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } };

export function vendorRequest(request: ModelRequest, { wire }: ModelSettings) {
  const marked = [request.system, ...request.messages].filter(({ cache }) => cache);
  const kept = new Set<object>(wire === 'anthropic' ? marked.slice(-maxMarks) : []);
  const marks = (item: object) => (kept.has(item) ? { providerOptions: mark } : {});
  const instructions: SystemModelMessage = { role: 'system', content: request.system.text, ...marks(request.system) };
  return {
    instructions,
    messages: request.messages.map((message) => ({ ...vendorMessage(message), ...marks(message) }) as ModelMessage),
    tools: vendorTools(request),
    toolOrder: request.tools.map(({ name }) => name),
    maxOutputTokens: request.maxOutputTokens,
    providerOptions: optionsOf(request, wire),
  };
}

/** Said to the vendor and not to the SDK, which would throw away an answer without the call, with its words and its usage. */
export function vendorToolChoice({ toolChoice = 'auto' }: ModelRequest) {
  return typeof toolChoice === 'string' ? { type: toolChoice } : { type: 'tool' as const, toolName: toolChoice.name };
}

function vendorMessage(message: Message): ModelMessage {
  if (message.role === 'user') {
    const { text, pictures = [] } = message;
    const files = pictures.map(({ mediaType, bytes }) => ({ type: 'file' as const, mediaType, data: bytes }));
    return { role: 'user', content: [{ type: 'text', text }, ...files] };
  }
  if (message.role === 'assistant') {
    const calls = (message.calls ?? []).map(({ id, name, input }) => ({
      type: 'tool-call' as const,
      toolCallId: id,
      toolName: name,
      input,
    }));
    return {
      role: 'assistant',
      content: [...(message.text ? [{ type: 'text' as const, text: message.text }] : []), ...calls],
    };
  }
  return {
    role: 'tool',
    content: message.results.map(({ id, name, text, isError }) => ({
      type: 'tool-result',
      toolCallId: id,
      toolName: name,
      output: { type: isError ? 'error-text' : 'text', value: text },
    })),
  };
}

/** Not strict: the strict modes of vendors refuse optional fields. What a call holds is checked by us. */
function vendorTools({ tools }: ModelRequest): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, schema }) => [
      name,
      tool({ description, inputSchema: jsonSchema(jsonSchemaOf(schema)), strict: false }),
    ]),
  );
}

function optionsOf({ cacheKey }: ModelRequest, wire: ModelSettings['wire']): VendorOptions {
  // Nothing of a task is kept at the vendor beyond what its terms say anyway.
  if (wire === 'openai') return { openai: { store: false, ...(cacheKey ? { promptCacheKey: cacheKey } : {}) } };
  return {};
}
