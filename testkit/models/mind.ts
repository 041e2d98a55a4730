// What a scripted model is asked and may answer, in one shape for all wires.

export type WireName = 'chat' | 'responses' | 'anthropic' | 'google';

export type SentPicture = { mediaType: string; bytes: Buffer };
export type SentCall = { id: string; name: string; input: unknown };
export type SentResult = { id: string; name: string; text: string };

/** One message as it came over the wire; those that a vendor joins are apart again. */
export type SentMessage = {
  role: 'user' | 'assistant' | 'tool';
  text: string;
  calls: SentCall[];
  results: SentResult[];
  pictures: SentPicture[];
  /** It ends a prefix that is to be cached, where the wire has such marks. */
  isMarked: boolean;
};

export type SentTool = { name: string; description: string; schema: unknown };

export type MindRequest = {
  wire: WireName;
  model: string;
  system: string;
  isSystemMarked: boolean;
  messages: SentMessage[];
  tools: SentTool[];
  /** Text of the last message of the user. */
  lastUserText: string;
  /** Those of the last message of the user. */
  pictures: SentPicture[];
  maxOutputTokens: number;
  cacheKey: string | undefined;
};

export type Tokens = { input: number; cached: number; cacheWritten: number; output: number; reasoning: number };

/** A call with `inputText` has arguments that need not be JSON; wires with arguments as objects send an empty one. */
export type MindCall = { name: string; input: unknown } | { name: string; inputText: string };

export type MindAnswer = {
  calls?: MindCall[];
  text?: string;
  /** Instead of those that the server counts. */
  tokens?: Partial<Tokens>;
  /** The text is cut at the most tokens that the request allows. */
  isCut?: boolean;
  isRefusal?: boolean;
};

export type Fault =
  | { fault: 'rate_limited'; retryAfter?: string; retryAfterMs?: number }
  | { fault: 'status'; status: number; code?: string; message?: string }
  /** Says nothing, or nothing more after the beginning of an answer, until the client leaves. */
  | { fault: 'stall'; after: 'nothing' | 'beginning' }
  | { fault: 'cut'; after: 'nothing' | 'beginning' }
  /** Answers after this time, if the client is still there. */
  | { fault: 'slow'; ms: number; answer: MindAnswer }
  /** An answer without end: the client has to leave. */
  | { fault: 'endless_body' };

export type Mind = (request: MindRequest) => MindAnswer | Fault | Promise<MindAnswer | Fault>;

/** How one vendor writes requests and answers. */
export type Wire = {
  name: WireName;
  read(body: Record<string, unknown>, path: string): Omit<MindRequest, 'wire' | 'lastUserText' | 'pictures'>;
  answer(answer: MindAnswer & { tokens: Tokens; ids: string[] }, request: MindRequest): object;
  error(status: number, code: string, message: string, retryAfterSecs: string | undefined): object;
};

export const message = (role: SentMessage['role'], parts: Partial<SentMessage>): SentMessage => ({
  role,
  text: '',
  calls: [],
  results: [],
  pictures: [],
  isMarked: false,
  ...parts,
});

export const pictureOf = (dataUrl: string): SentPicture => {
  const [, mediaType = '', data = ''] = /^data:([^;]+);base64,(.*)$/s.exec(dataUrl) ?? [];
  return { mediaType, bytes: Buffer.from(data, 'base64') };
};

export const argumentsOf = (call: MindCall): string =>
  'inputText' in call ? call.inputText : JSON.stringify(call.input);

export const objectOf = (call: MindCall): unknown => ('inputText' in call ? {} : call.input);

export function parsed(json: unknown): unknown {
  try {
    return JSON.parse(String(json));
  } catch {
    return json;
  }
}
