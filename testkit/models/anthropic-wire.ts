// Anthropic's messages: results of tools are parts of the user's messages, and parts may be marked to be cached.
import { message, objectOf, type SentMessage, type Wire } from './mind.ts';

type Part = {
  type: string;
  text?: string;
  source?: { media_type: string; data: string };
  id?: string;
  name?: string;
  input?: unknown;
  tool_use_id?: string;
  content?: string | Part[];
  cache_control?: unknown;
};
type Body = {
  model: string;
  system?: string | Part[];
  messages: { role: string; content: string | Part[] }[];
  tools?: { name: string; description?: string; input_schema: unknown }[];
  max_tokens?: number;
};

const partsOf = (content: string | Part[] | undefined): Part[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
const textOf = (content: string | Part[] | undefined) =>
  partsOf(content)
    .map(({ text = '' }) => text)
    .join('');
const isMarked = (parts: Part[]) => parts.some(({ cache_control }) => cache_control !== undefined);

export const anthropicWire: Wire = {
  name: 'anthropic',
  read(given) {
    const body = given as Body;
    const names = new Map<string, string>();
    const messages = body.messages.flatMap(({ role, content }): SentMessage[] => {
      const parts = partsOf(content);
      if (role === 'assistant') {
        const calls = parts.flatMap(({ type, id = '', name = '', input }) => {
          if (type !== 'tool_use') return [];
          names.set(id, name);
          return [{ id, name, input }];
        });
        return [message('assistant', { text: textOf(parts), calls, isMarked: isMarked(parts) })];
      }
      return parts.map((part) => {
        const marked = isMarked([part]);
        if (part.type !== 'tool_result')
          return message('user', {
            text: part.text ?? '',
            pictures: part.source
              ? [{ mediaType: part.source.media_type, bytes: Buffer.from(part.source.data, 'base64') }]
              : [],
            isMarked: marked,
          });
        const id = part.tool_use_id ?? '';
        return message('tool', {
          results: [{ id, name: names.get(id) ?? '', text: textOf(part.content) }],
          isMarked: marked,
        });
      });
    });
    return {
      model: body.model,
      system: textOf(body.system),
      isSystemMarked: isMarked(partsOf(body.system)),
      messages: joined(messages),
      tools: (body.tools ?? []).map(({ name, description = '', input_schema: schema }) => ({
        name,
        description,
        schema,
      })),
      maxOutputTokens: body.max_tokens ?? 0,
      cacheKey: undefined,
    };
  },
  answer({ calls = [], text = '', tokens, ids, isCut, isRefusal }, { model }) {
    const { input, cached, cacheWritten, output } = tokens;
    return {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model,
      content: [
        ...(text ? [{ type: 'text', text }] : []),
        ...calls.map((call, index) => ({ type: 'tool_use', id: ids[index], name: call.name, input: objectOf(call) })),
      ],
      stop_reason: isRefusal ? 'refusal' : isCut ? 'max_tokens' : calls.length > 0 ? 'tool_use' : 'end_turn',
      stop_sequence: null,
      // Here what is read from the cache or written to it is not part of the input.
      usage: {
        input_tokens: input - cached - cacheWritten,
        cache_read_input_tokens: cached,
        cache_creation_input_tokens: cacheWritten,
        output_tokens: output,
      },
    };
  },
  error: (_, code, said) => ({ type: 'error', error: { type: code, message: said } }),
};

/** A picture follows the text of its own message, as a part without text. */
function joined(messages: SentMessage[]): SentMessage[] {
  const list: SentMessage[] = [];
  for (const one of messages) {
    const last = list.at(-1);
    if (last?.role === 'user' && one.role === 'user' && one.text === '' && !last.isMarked) {
      last.pictures.push(...one.pictures);
      last.isMarked = one.isMarked;
    } else list.push(one);
  }
  return list;
}
