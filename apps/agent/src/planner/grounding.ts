// Finds values of a result that were seen nowhere in the run: not on a page, not in what was read, not in what people said. Such a
// value is made up, or computed. Compares by code: a model is not asked about itself.

import type { Json } from '@pilothouse/contract';

const maxPaths = 20;
/** Longer texts are the model's own words. */
const maxChars = 200;

/** The paths of values that are in none of the texts, such as `items.2.price`. */
export function ungroundedIn(data: Json | null, texts: readonly string[]): string[] {
  const corpus = plain(texts.join('\n'));
  const numbers = new Set([...corpus.matchAll(numberLike)].flatMap(([token]) => readings(token)));
  const isKnown = (leaf: string | number) => {
    if (typeof leaf === 'number') return numbers.has(rounded(leaf));
    const text = plain(leaf);
    if (text === '' || text.length > maxChars || corpus.includes(text)) return true;
    if (wholeNumber.test(text)) return readings(text).some((value) => numbers.has(value));
    return datesLike(text).some((date) => corpus.includes(date));
  };
  return leavesOf(data)
    .filter(({ leaf }) => !isKnown(leaf))
    .map(({ path }) => path)
    .slice(0, maxPaths);
}

const plain = (text: string): string => text.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim();

/** Digits with the separators of any language between them. */
const numberLike = /\d{1,3}(?:[ '’]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)*/g;
const wholeNumber = /^[^\d]{0,4}\d(?:[\d.,'’ ]*\d)?[^\d]{0,4}$/;
const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;

/** What a number can mean, as `1.234` is another one in German and in English. */
function readings(token: string): number[] {
  const digits = token.replaceAll(/[^\d.,]/g, '');
  const english = digits.replaceAll(',', '');
  const german = digits.replaceAll('.', '').replace(',', '.');
  const bare = digits.replaceAll(/[.,]/g, '');
  const values = [english, german, bare].map(Number).filter(Number.isFinite);
  // Spaces between groups of digits may also be spaces between numbers.
  const parts = token.split(/[ '’]/);
  return [
    ...values.flatMap((value) => [rounded(value), rounded(-value)]),
    ...(parts.length > 1 ? parts.flatMap(readings) : []),
  ];
}

const months = 'january february march april may june july august september october november december'.split(' ');
const germanMonths = 'januar februar märz april mai juni juli august september oktober november dezember'.split(' ');

/** A date of the calendar, as pages write it. */
function datesLike(text: string): string[] {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)(?:t.*)?$/.exec(text) ?? [];
  if (year === undefined || month === undefined || day === undefined) return [];
  const [m, d] = [Number(month), Number(day)];
  const names = [months[m - 1], months[m - 1]?.slice(0, 3), germanMonths[m - 1]].filter((name) => name !== undefined);
  return [
    `${year}-${month}-${day}`,
    ...[`${d}.${m}.${year}`, `${day}.${month}.${year}`, `${d}. ${m}. ${year}`],
    ...[`${m}/${d}/${year}`, `${month}/${day}/${year}`, `${d}/${m}/${year}`, `${day}/${month}/${year}`],
    ...names.flatMap((name) => [
      `${d} ${name} ${year}`,
      `${d}. ${name} ${year}`,
      `${name} ${d}, ${year}`,
      `${name} ${d} ${year}`,
    ]),
  ];
}

type Leaf = { path: string; leaf: string | number };

function leavesOf(value: Json | null, path = 'data'): Leaf[] {
  if (typeof value === 'string' || typeof value === 'number') return [{ path, leaf: value }];
  if (value === null || typeof value !== 'object') return [];
  const inner = (key: string | number) => (path === 'data' ? String(key) : `${path}.${key}`);
  if (Array.isArray(value)) return value.flatMap((item, i) => leavesOf(item, inner(i)));
  return Object.entries(value).flatMap(([key, item]) => leavesOf(item ?? null, inner(key)));
}
