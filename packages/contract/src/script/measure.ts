// Values with a number and a unit: times and distances.
import type { Value } from './part.ts';
import type { Reader } from './reader.ts';

const inSeconds = new Map<string, number>([
  ...['s', 'sec', 'secs', 'second', 'seconds'].map((unit): [string, number] => [unit, 1]),
  ...['min', 'mins', 'minute', 'minutes'].map((unit): [string, number] => [unit, 60]),
]);
const inMilliseconds = new Set(['ms', 'millisecond', 'milliseconds']);

const number = /^(\d+(?:\.\d+)?(?:e[+-]?\d+)?)([a-z]*)$/i;

/** A number and its unit, which may be written together or be left out. */
function readMeasure(reader: Reader, isUnit: (word: string) => boolean): { amount: number; unit: string } | undefined {
  const match = number.exec(reader.peek()?.value ?? '');
  const [, digits = '', joined = ''] = match ?? [];
  if (!match || !(joined === '' || isUnit(joined.toLowerCase()))) return undefined;
  reader.skip();
  const next = reader.word();
  if (joined !== '' || next === undefined || !isUnit(next))
    return { amount: Number(digits), unit: joined.toLowerCase() };
  reader.skip();
  return { amount: Number(digits), unit: next };
}

/** A time in seconds. */
export const duration: Value = {
  shape: '30 s',
  words: [...inSeconds.keys(), ...inMilliseconds],
  isNext: (reader) => number.test(reader.peek()?.value ?? ''),
  read(reader) {
    const mistake = reader.expected('a time such as 30 s');
    const measure = readMeasure(reader, (word) => inSeconds.has(word) || inMilliseconds.has(word));
    if (!measure) throw mistake;
    const { amount, unit } = measure;
    return inMilliseconds.has(unit) ? amount / 1000 : amount * (inSeconds.get(unit) ?? 1);
  },
  write: (value) => (typeof value === 'number' ? `${value} s` : undefined),
};

/** The default distance of a scroll: most of a window. */
const someWay = 600;

const pixels = ['px', 'pixel', 'pixels'];

/** A distance in CSS pixels, in one of two directions. */
export function distance(ahead: string, behind: string): Value {
  return {
    shape: `${ahead} 300`,
    words: [ahead, behind, ...pixels],
    isNext: (reader) => reader.word() === ahead || reader.word() === behind,
    read(reader) {
      const direction = reader.word();
      if (direction !== ahead && direction !== behind) throw reader.expected(`${ahead} or ${behind}`);
      reader.skip();
      const amount = readMeasure(reader, (word) => pixels.includes(word))?.amount ?? someWay;
      // Never -0.
      return direction === ahead || amount === 0 ? amount : -amount;
    },
    write: (value) => (typeof value === 'number' ? `${value < 0 ? behind : ahead} ${Math.abs(value)}` : undefined),
  };
}
