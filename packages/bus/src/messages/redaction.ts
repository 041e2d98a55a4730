// Strikes known secret values from what leaves a host and from what an agent stores, also where they are encoded. Never tells which
// value was found, nor how long it is.

export type Redactor = {
  isEmpty: boolean;
  text(said: string): string;
  /** The same message with its words redacted. What hosts and agents choose themselves stays: ids, kinds, saved states. */
  words<T>(message: T): T;
};

export const redactedText = '••••';

/** A shorter form is part of too many other words. */
const minChars = 4;
const minEncodedChars = 6;
/** A text may end within the value, where it was cut. */
const minCutChars = 6;
const cutShare = 0.75;

/** Fields whose text is none of a page: redacting them would break the message. A saved state is sealed instead. */
const ownFields = new Set([
  'type',
  'failure',
  'kind',
  'private_reason',
  'content_type',
  'command_id',
  'session_id',
  'frame_id',
  'file_id',
  'version',
  'recorded_at',
  'page',
  'session',
  'frame',
  'ref',
  'shape_hash',
  'cut',
  'state',
]);

export function createRedactor(values: readonly string[]): Redactor {
  const needles = [...new Set(values.flatMap(formsOf))].toSorted((a, b) => b.length - a.length);
  const lowered = needles.map((needle) => needle.toLowerCase());

  function text(said: string): string {
    if (needles.length === 0 || said.length < minChars) return said;
    const lower = said.toLowerCase();
    // In a few languages letters get longer by it: then only the same letters are found.
    const [haystack, wanted] = lower.length === said.length ? [lower, lowered] : [said, needles];
    return withoutRanges(
      said,
      wanted.flatMap((needle) => rangesOf(haystack, needle)),
    );
  }

  function walk(value: unknown, isOwn: boolean): unknown {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return value.map((item) => walk(item, isOwn));
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => {
        if (isOwn && ownFields.has(name)) return [name, item];
        // Below `data` is what a page holds, also as names.
        return [isOwn ? name : text(name), walk(item, isOwn && name !== 'data')];
      }),
    );
  }

  return {
    isEmpty: needles.length === 0,
    text,
    // The shape stays: only texts are replaced, by texts.
    words: <T>(message: T): T => (needles.length === 0 ? message : (walk(message, true) as T)),
  };
}

type Range = [from: number, to: number];

function rangesOf(haystack: string, needle: string): Range[] {
  const found: Range[] = [];
  const begin = needle.slice(0, Math.min(needle.length, minCutChars));
  for (let at = haystack.indexOf(begin); at >= 0; at = haystack.indexOf(begin, at + 1)) {
    let length = begin.length;
    while (length < needle.length && haystack[at + length] === needle[length]) length += 1;
    const end = at + length;
    const isCut = haystack[end] === '…' || (end === haystack.length && length >= needle.length * cutShare);
    if (length === needle.length || isCut) found.push([at, end]);
  }
  return found;
}

function withoutRanges(said: string, ranges: Range[]): string {
  if (ranges.length === 0) return said;
  let result = '';
  let at = 0;
  for (const [from, to] of ranges.toSorted(([a, x], [b, y]) => a - b || y - x)) {
    if (to <= at) continue;
    if (from >= at) result += said.slice(at, from) + redactedText;
    at = to;
  }
  return result + said.slice(at);
}

/** The value as pages, addresses and encoders write it. */
export function formsOf(value: string): string[] {
  const collapsed = value.trim().replaceAll(/\s+/g, ' ');
  const plain = [value, value.trim(), collapsed, value.normalize('NFC'), value.normalize('NFD')];
  const percent = encodeURIComponent(value);
  const strict = percent.replaceAll(/[!'()*~]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  const escaped = value
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
  const encoded = [
    ...[percent, strict].flatMap((one) => [one, one.replaceAll('%20', '+')]),
    encodeURI(value),
    JSON.stringify(value).slice(1, -1),
    escaped,
    Buffer.from(value).toString('hex'),
    ...base64Of(value),
  ];
  return [
    ...plain.filter((one) => one.length >= minChars),
    ...encoded.filter((one) => one.length >= minEncodedChars || one === value),
  ];
}

/** At each of the three places where the value may begin in a longer text that was encoded as a whole. */
function base64Of(value: string): string[] {
  const bytes = Buffer.from(value);
  return [0, 1, 2].flatMap((offset) => {
    const whole = Buffer.concat([Buffer.alloc(offset), bytes]);
    const signs = whole.toString('base64').replaceAll('=', '');
    const own = signs.slice(offset === 0 ? 0 : offset + 1, whole.length % 3 === 0 ? undefined : -1);
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
