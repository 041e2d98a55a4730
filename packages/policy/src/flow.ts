// Where a text that a model wants to write comes from: a person gave it, a page showed it, or the model made it up. Finds copies,
// also within longer texts; not what is said in other words or in a code.

/** What was shown of one host, with its port. */
export type Shown = { host: string; text: string };
export type Source = { from: 'given' } | { from: 'seen'; hosts: string[] } | { from: 'made_up' };

/** A copy of this many letters and digits is one; two texts have fewer in a row in common by chance. */
const shingle = 12;
/** Shorter words are on every page. */
const shortest = 4;

/** Letters and digits only, so that other spaces, signs and cases make no difference. */
const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ');
const joined = (text: string): string => plain(text).replaceAll(' ', '');
const wordsOf = (text: string): string[] => plain(text).split(' ').map(withoutZeros).filter(Boolean);
/** A date has the same numbers however it is written. */
const withoutZeros = (word: string): string => word.replace(/^0+(?=\d)/, '');

/** Frames of other hosts are parts of their own: a page cannot write such a mark itself. */
export function shownParts(url: string, text: string): Shown[] {
  const parts: Shown[] = [];
  const hosts = [URL.parse(url)?.host ?? ''];
  let lines: string[] = [];
  const end = () => {
    if (lines.length > 0) parts.push({ host: hosts.at(-1) ?? '', text: lines.join('\n') });
    lines = [];
  };
  for (const line of text.split('\n')) {
    const opened = /^<frame(?: "(?:[^"\\]|\\.)*")?(?: (?<host>[^\s>"]+))?>$/.exec(line);
    if (opened) {
      end();
      hosts.push(opened.groups?.host ?? hosts.at(-1) ?? '');
    } else if (line === '</frame>') {
      end();
      if (hosts.length > 1) hosts.pop();
    } else lines.push(line);
  }
  end();
  return parts;
}

/**
 * `given` holds the texts that people said or wrote for the task. A value counts as given only if each of its words is in them:
 * one other word would make another text of it.
 */
export function sourceOf(value: string, given: readonly string[], shown: readonly Shown[]): Source {
  if (isGiven(value, given)) return { from: 'given' };
  const hosts = new Set(shown.filter(({ text }) => isCopied(value, text)).map(({ host }) => host));
  return hosts.size > 0 ? { from: 'seen', hosts: [...hosts].sort() } : { from: 'made_up' };
}

function isGiven(value: string, given: readonly string[]): boolean {
  const words = wordsOf(value);
  const known = new Set(given.flatMap(wordsOf));
  if (words.every((word) => known.has(word))) return true;
  const whole = joined(value);
  return whole.length >= shortest && given.some((text) => joined(text).includes(whole));
}

function isCopied(value: string, text: string): boolean {
  const whole = joined(value);
  if (whole.length < shortest) return false;
  const seen = joined(text);
  if (whole.length < shingle) {
    // A short number is written with spaces and signs in it, too.
    return new Set(wordsOf(text)).has(withoutZeros(whole)) || (/\d/.test(whole) && seen.includes(whole));
  }
  // A number within other words is short, and says much.
  if (
    plain(value)
      .split(' ')
      .some((word) => word.length >= shortest && /\d/.test(word) && seen.includes(word))
  )
    return true;
  for (let from = 0; from + shingle <= whole.length; from += 1)
    if (seen.includes(whole.slice(from, from + shingle))) return true;
  return false;
}

/** An address that a model wrote may carry this much that no person gave. */
const maxCarried = 64;

export const carriesTooMuch = (url: string, given: readonly string[]): boolean =>
  carriedBy(url, given).length > maxCarried;

/** The letters and digits of an address that no person gave: what it could carry away. */
function carriedBy(url: string, given: readonly string[]): string {
  const address = URL.parse(url);
  if (!address) return '';
  const parts = [...address.pathname.split('/'), ...pairsOf(address.searchParams), decoded(address.hash.slice(1))];
  return parts
    .map(decoded)
    .filter((part) => !isGiven(part, given))
    .map(joined)
    .join('');
}

const pairsOf = (query: URLSearchParams): string[] => [...query].flat();

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
