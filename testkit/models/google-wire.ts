// Gemini's generateContent: calls and their results are parts, and are matched by name and order.
import { message, objectOf, type SentMessage, type Wire } from './mind.ts';

type Part = {
  text?: string;
  inlineData?: { mimeType: string; data: string };
  functionCall?: { id?: string; name: string; args: unknown };
  functionResponse?: { id?: string; name: string; response: { content?: unknown; output?: unknown; error?: unknown } };
};
type Declaration = { name: string; description?: string; parameters?: unknown; parametersJsonSchema?: unknown };
type Body = {
  systemInstruction?: { parts: Part[] };
  contents: { role: string; parts: Part[] }[];
  tools?: { functionDeclarations?: Declaration[] }[];
  generationConfig?: { maxOutputTokens?: number };
};

const textOf = (parts: Part[]) => parts.map(({ text = '' }) => text).join('');
const resultOf = ({ content, output, error }: { content?: unknown; output?: unknown; error?: unknown }) => {
  const said = content ?? output ?? error ?? '';
  return typeof said === 'string' ? said : JSON.stringify(said);
};

export const googleWire: Wire = {
  name: 'google',
  read(given, path) {
    const body = given as Body;
    const messages = body.contents.flatMap(({ role, parts }): SentMessage[] => {
      const results = parts.flatMap(({ functionResponse: one }) =>
        one ? [{ id: one.id ?? one.name, name: one.name, text: resultOf(one.response) }] : [],
      );
      const calls = parts.flatMap(({ functionCall: one }) =>
        one ? [{ id: one.id ?? one.name, name: one.name, input: one.args }] : [],
      );
      const pictures = parts.flatMap(({ inlineData: one }) =>
        one ? [{ mediaType: one.mimeType, bytes: Buffer.from(one.data, 'base64') }] : [],
      );
      const text = textOf(parts);
      if (role === 'model') return [message('assistant', { text, calls })];
      return [
        ...(results.length > 0 ? [message('tool', { results })] : []),
        ...(text !== '' || pictures.length > 0 ? [message('user', { text, pictures })] : []),
      ];
    });
    return {
      model: /models\/([^:]+):/.exec(path)?.[1] ?? '',
      system: textOf(body.systemInstruction?.parts ?? []),
      isSystemMarked: false,
      messages,
      tools: (body.tools ?? [])
        .flatMap(({ functionDeclarations = [] }) => functionDeclarations)
        .map(({ name, description = '', parameters, parametersJsonSchema }) => ({
          name,
          description,
          schema: parameters ?? parametersJsonSchema,
        })),
      maxOutputTokens: body.generationConfig?.maxOutputTokens ?? 0,
      cacheKey: undefined,
    };
  },
  answer({ calls = [], text = '', tokens, isCut, isRefusal }, { model }) {
    const parts = [
      ...(text && !isRefusal ? [{ text }] : []),
      ...calls.map((call) => ({ functionCall: { name: call.name, args: objectOf(call) } })),
    ];
    return {
      candidates: [
        {
          index: 0,
          content: { role: 'model', parts },
          finishReason: isRefusal ? 'SAFETY' : isCut ? 'MAX_TOKENS' : 'STOP',
        },
      ],
      modelVersion: model,
      usageMetadata: {
        promptTokenCount: tokens.input,
        cachedContentTokenCount: tokens.cached,
        candidatesTokenCount: tokens.output - tokens.reasoning,
        thoughtsTokenCount: tokens.reasoning,
        totalTokenCount: tokens.input + tokens.output,
      },
    };
  },
  error: (status, code, said, retryAfterSecs) => ({
    error: {
      code: status,
      message: said,
      status: code.toUpperCase(),
      ...(retryAfterSecs === undefined
        ? {}
        : { details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retryAfterSecs}s` }] }),
    },
  }),
};
