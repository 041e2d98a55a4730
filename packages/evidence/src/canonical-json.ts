// JSON with exactly one way to write each value, as RFC 8785 has it. Pure: never skips a value that it cannot write.

/** Deeper values are refused: each level costs stack, and what we store is less deep. */
const maxDepth = 64;

/**
 * Keys in the order of their UTF-16 code units, no white space, numbers and strings as ECMAScript writes them. A property
 * that is undefined counts as absent. Throws for what JSON has no word for: NaN, infinities, functions, lone surrogates.
 */
export function canonicalJson(value: unknown, depth = 0): string {
  if (depth > maxDepth) throw new TypeError(`no more than ${maxDepth} levels can be written`);
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return textOf(value);
  if (typeof value === 'number') return numberOf(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, depth + 1)).join(',')}]`;
  if (typeof value !== 'object' || !isPlain(value)) throw new TypeError(`JSON has no word for this ${typeof value}`);
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    // By code units and not by the rules of a language: the order is the same everywhere.
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, field]) => `${textOf(key)}:${canonicalJson(field, depth + 1)}`);
  return `{${fields.join(',')}}`;
}

function textOf(text: string): string {
  if (!text.isWellFormed()) throw new TypeError('text with half a character cannot be written');
  return JSON.stringify(text);
}

function numberOf(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`JSON has no word for ${value}`);
  // -0 is written as 0: there is one zero.
  return JSON.stringify(value);
}

/** A date or a map would be written as something that it is not. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
