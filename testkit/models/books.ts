// The books of a scripted model: every request with its size, its prefix and its tokens, so that tests compare figures.
import { createHash } from 'node:crypto';
import type { MindAnswer, MindRequest, Tokens, WireName } from './mind.ts';

export type Entry = {
  n: number;
  /** Milliseconds since 1970. */
  at: number;
  wire: WireName;
  bytes: number;
  request: MindRequest;
  /** What came as the key. */
  key: string;
  /** Hashes of tools and system, and then of these with each message up to the last. */
  prefixes: string[];
  /** Of everything before the last message. */
  prefixHash: string;
  answer: 'open' | 'answered' | 'fault' | 'closed by client';
  /** What was answered with; undefined where nothing was. */
  tokens: Tokens | undefined;
  /** After how many milliseconds the client closed the connection before it had its answer. */
  closedAfterMs: number | undefined;
};

const bytesPerToken = 4;
const tokensPerPicture = 1100;

/** The later request repeats everything that the earlier one had before its last message. */
export const keepsPrefix = (earlier: Entry, later: Entry) => later.prefixes.includes(earlier.prefixHash);

export function prefixesOf({ system, tools, messages }: MindRequest): string[] {
  const hash = createHash('sha256').update(JSON.stringify([tools, system]));
  const prefixes = [hash.copy().digest('hex')];
  for (const { role, text, calls, results, pictures } of messages) {
    hash.update(JSON.stringify([role, text, calls, results]));
    for (const { bytes } of pictures) hash.update(bytes);
    prefixes.push(hash.copy().digest('hex'));
  }
  return prefixes;
}

/** Counts tokens as a vendor would: by what was sent, and by which prefixes were sent before. */
export function createTokenCounter() {
  const known = new Set<string>();
  return (request: MindRequest, answer: MindAnswer): Tokens => {
    const prefixes = prefixesOf(request);
    const upTo = tokensUpTo(request);
    const cacheable = prefixes.map((_, index) => isCacheable(request, index));
    const last = cacheable.lastIndexOf(true);
    const found = prefixes.findLastIndex((prefix, index) => cacheable[index] && known.has(prefix));
    for (const [index, prefix] of prefixes.entries()) if (cacheable[index]) known.add(prefix);
    const cached = upTo[found] ?? 0;
    const cacheWritten = request.wire === 'anthropic' ? Math.max(0, (upTo[last] ?? 0) - cached) : 0;
    const said = (answer.text ?? '') + JSON.stringify(answer.calls ?? []);
    const output = Math.ceil(Buffer.byteLength(said) / bytesPerToken);
    return { input: upTo.at(-1) ?? 0, cached, cacheWritten, output, reasoning: 0, ...answer.tokens };
  };
}

/** Anthropic caches up to a mark; the others cache every prefix of their own accord. */
function isCacheable({ wire, isSystemMarked, messages }: MindRequest, index: number): boolean {
  if (wire !== 'anthropic') return index < messages.length;
  return index === 0 ? isSystemMarked : messages[index - 1]?.isMarked === true;
}

function tokensUpTo({ system, tools, messages }: MindRequest): number[] {
  let bytes = Buffer.byteLength(JSON.stringify([tools, system]));
  let pictures = 0;
  const count = () => Math.ceil(bytes / bytesPerToken) + pictures * tokensPerPicture;
  return [
    count(),
    ...messages.map((message) => {
      bytes += Buffer.byteLength(JSON.stringify([message.role, message.text, message.calls, message.results]));
      pictures += message.pictures.length;
      return count();
    }),
  ];
}
