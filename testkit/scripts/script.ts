// What a script of the set is: what is asked, how it must end, and what the sites must know afterwards.
import type { Json, Step } from '@pilothouse/contract';
import type { Random } from '../random.ts';
import type { Database, SiteName, Visitor } from '../sites/sites.ts';

export type NamedFile = { name: string; bytes: Uint8Array };

/** Why a step cannot be done, and how any runner's report of that reads. */
export const reasons = {
  missing: /nothing visible|not found|no such element/i,
  no_option: /no such option/i,
  disabled: /disabled/i,
  no_file: /no (such )?file/i,
  late: /in time|within|timeout|timed out/i,
} as const;

export type End =
  | { status: 'success' }
  /** `step` counts from 1. Nothing after it was done. */
  | { status: 'failed'; step: number; reason: keyof typeof reasons }
  /** Given up for a reason that reads so. */
  | { status: 'failed'; says: RegExp }
  /** Not understood: no task is made, and the answer names the line. */
  | { status: 'refused'; line: number };

export type Script = {
  /** In the language of scripts, or as steps. */
  ask: { lines: string[] } | { steps: Step[] };
  end: End;
  /** What the extracts must give, told by the database of the site. */
  result?: (data: Database) => Record<string, Json>;
  /** What must have been brought home, told by the database too. */
  files?: (data: Database) => NamedFile[];
  /** Every POST that the sites must have seen, in order; each of them once. */
  posts: string[];
  /** What the sites must know at the end. */
  holds?: { read: (data: Database) => unknown; is: unknown }[];
  /** Files that must be put into the session before it begins. */
  brings?: NamedFile[];
};

export type Making = { data: Database; random: Random; url: (site: SiteName, path?: string) => string };
/** One kind of script, filled in at random. */
export type Kind = (making: Making) => Script;

export const makingOf = ({ data, url }: Visitor, random: Random): Making => ({
  data,
  random,
  url: (site, path = '') => `${url(site)}${path}`,
});

/** An instruction: what is put in is quoted, unless it is an address or a number. */
export function say(strings: TemplateStringsArray, ...values: (string | number | URL)[]): string {
  const shown = values.map((value) => (typeof value === 'string' ? quote(value) : String(value)));
  return String.raw({ raw: strings }, ...shown);
}

const quote = (text: string) => `"${text.replace(/[\\"{]/g, '\\$&').replaceAll('\n', '\\n')}"`;

export const at = (url: string): URL => new URL(url);

const names = [
  'Zoë Ångström',
  '山田 太郎',
  'Иван Петрович',
  'أحمد بن علي',
  'Seán Ó Murchú',
  'Anna "Ann" O’Neill',
  '<b>Bold</b> & Co',
  'Ada 👩‍🚀 Lovelace',
  'José {not a variable}',
  'back\\slash Smith',
  'नेहा शर्मा',
  'Ngô Thị Hương',
] as const;
const words = [
  'lantern',
  'tide',
  'größer',
  'ferry',
  '潮',
  'névé',
  '#hash',
  '100 %',
  'C:\\log',
  'a=b&c',
  '—',
  '🙂',
] as const;

/** Data as people have it. */
export const name = (random: Random): string => random.pick(names);
export const sentence = (random: Random, count = 5): string =>
  Array.from({ length: count }, () => random.pick(words)).join(' ');
export const lines = (random: Random): string => [sentence(random), sentence(random, 3), 'Fair winds!'].join('\n');

/** Some of them, at least one, in their order. */
export function some<T>(random: Random, values: readonly T[]): T[] {
  const chosen = values.filter(() => random.is(0.5));
  return chosen.length > 0 ? chosen : [random.pick(values)];
}

/** Different ones, in any order. */
export function draw<T>(random: Random, values: readonly T[], count: number): T[] {
  const left = [...values];
  return Array.from({ length: Math.min(count, left.length) }, () => left.splice(random.below(left.length), 1)).flat();
}
