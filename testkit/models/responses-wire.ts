// OpenAI's Responses: input and output are lists of items.
import { argumentsOf, message, parsed, pictureOf, type SentMessage, type Wire } from './mind.ts';

type Part = { type: string; text?: string; image_url?: string };
type Item = {
  type?: string;
  role?: string;
  content?: string | Part[];
  call_id?: string;
  name?: string;
  arguments?: string;
  output?: string;
};
type Body = {
  model: string;
  instructions?: string;
  input: Item[];
  tools?: { name: string; description?: string; parameters: unknown }[];
  max_output_tokens?: number;
  prompt_cache_key?: string;
};

const isSystem = ({ role }: Item) => role === 'system' || role === 'developer';
const textOf = (content: Item['content']) =>
  typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join('');

export const responsesWire: Wire = {
  name: 'responses',
  read(given) {
    const body = given as Body;
    const names = new Map<string, string>();
    const messages = body.input.flatMap((item): SentMessage[] => {
      if (isSystem(item)) return [];
      const id = item.call_id ?? '';
      if (item.type === 'function_call') {
        names.set(id, item.name ?? '');
        return [message('assistant', { calls: [{ id, name: item.name ?? '', input: parsed(item.arguments) }] })];
      }
      if (item.type === 'function_call_output')
        return [message('tool', { results: [{ id, name: names.get(id) ?? '', text: item.output ?? '' }] })];
      const parts = Array.isArray(item.content) ? item.content : [];
      return [
        message(item.role === 'assistant' ? 'assistant' : 'user', {
          text: textOf(item.content),
          pictures: parts.flatMap(({ image_url }) => (image_url ? [pictureOf(image_url)] : [])),
        }),
      ];
    });
    return {
      model: body.model,
      system: [body.instructions ?? [], body.input.filter(isSystem).map(({ content }) => textOf(content))]
        .flat()
        .join('\n'),
      isSystemMarked: false,
      messages,
      tools: (body.tools ?? []).map(({ name, description = '', parameters }) => ({
        name,
        description,
        schema: parameters,
      })),
      maxOutputTokens: body.max_output_tokens ?? 0,
      cacheKey: body.prompt_cache_key,
    };
  },
  answer({ calls = [], text = '', tokens, ids, isCut, isRefusal }, { model }) {
    const said = isRefusal
      ? { type: 'refusal', refusal: text }
      : { type: 'output_text', text, annotations: [], logprobs: [] };
    return {
      id: 'resp_1',
      object: 'response',
      created_at: 1,
      status: isCut ? 'incomplete' : 'completed',
      incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
      error: null,
      model,
      output: [
        ...(text ? [{ type: 'message', id: 'msg_1', status: 'completed', role: 'assistant', content: [said] }] : []),
        ...calls.map((call, index) => ({
          type: 'function_call',
          id: `fc_${index + 1}`,
          call_id: ids[index],
          name: call.name,
          arguments: argumentsOf(call),
          status: 'completed',
        })),
      ],
      usage: {
        input_tokens: tokens.input,
        input_tokens_details: { cached_tokens: tokens.cached },
        output_tokens: tokens.output,
        output_tokens_details: { reasoning_tokens: tokens.reasoning },
        total_tokens: tokens.input + tokens.output,
      },
    };
  },
  error: (_, code, said) => ({ error: { message: said, type: code, param: null, code } }),
};
