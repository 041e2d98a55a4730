// OpenAI's chat completions, which most servers of local models speak too.
import { argumentsOf, message, parsed, pictureOf, type SentMessage, type Wire } from './mind.ts';

type Part = { type: string; text?: string; image_url?: { url: string } };
type Said = {
  role: string;
  content?: string | Part[] | null;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
};
type Body = {
  model: string;
  messages: Said[];
  tools?: { function: { name: string; description?: string; parameters: unknown } }[];
  max_tokens?: number;
  max_completion_tokens?: number;
  prompt_cache_key?: string;
};

const textOf = (content: Said['content']) =>
  typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join('');

export const chatWire: Wire = {
  name: 'chat',
  read(given) {
    const body = given as Body;
    const names = new Map<string, string>();
    const messages = body.messages.flatMap((said): SentMessage[] => {
      const text = textOf(said.content);
      if (said.role === 'system') return [];
      if (said.role === 'tool') {
        const id = said.tool_call_id ?? '';
        return [message('tool', { results: [{ id, name: names.get(id) ?? '', text }] })];
      }
      if (said.role === 'assistant') {
        const calls = (said.tool_calls ?? []).map((call) => {
          names.set(call.id, call.function.name);
          return { id: call.id, name: call.function.name, input: parsed(call.function.arguments) };
        });
        return [message('assistant', { text, calls })];
      }
      const parts = Array.isArray(said.content) ? said.content : [];
      return [
        message('user', {
          text,
          pictures: parts.flatMap((part) => (part.image_url ? [pictureOf(part.image_url.url)] : [])),
        }),
      ];
    });
    return {
      model: body.model,
      system: body.messages.flatMap((said) => (said.role === 'system' ? [textOf(said.content)] : [])).join('\n'),
      isSystemMarked: false,
      messages,
      tools: (body.tools ?? []).map(({ function: { name, description = '', parameters } }) => ({
        name,
        description,
        schema: parameters,
      })),
      maxOutputTokens: body.max_completion_tokens ?? body.max_tokens ?? 0,
      cacheKey: body.prompt_cache_key,
    };
  },
  answer({ calls = [], text = '', tokens, ids, isCut, isRefusal }, { model }) {
    const tool_calls = calls.map((call, index) => ({
      id: ids[index],
      type: 'function',
      function: { name: call.name, arguments: argumentsOf(call) },
    }));
    return {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1,
      model,
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: isRefusal ? null : text,
            ...(isRefusal ? { refusal: text } : {}),
            ...(tool_calls.length > 0 ? { tool_calls } : {}),
          },
          finish_reason: isCut ? 'length' : tool_calls.length > 0 ? 'tool_calls' : 'stop',
        },
      ],
      usage: {
        prompt_tokens: tokens.input,
        completion_tokens: tokens.output,
        total_tokens: tokens.input + tokens.output,
        prompt_tokens_details: { cached_tokens: tokens.cached },
        completion_tokens_details: { reasoning_tokens: tokens.reasoning },
      },
    };
  },
  error: (_, code, said) => ({ error: { message: said, type: code, param: null, code } }),
};
