// The secret values of one session, as long as its browser lives: what strikes them from words that leave the host, and the
// fingerprints by which pages cover them. Never writes a value to the log or to disk.

import { randomInt } from 'node:crypto';
import { createRedactor, formsOf, type Redactor, type TypedSecret } from '@pilothouse/bus';
import type { Fingerprints } from '../dom/dom.ts';

export type TypedSecrets = {
  /** Returns whether it is a new one: then pages have to be told. */
  add(secret: Pick<TypedSecret, 'value' | 'is_code'>): boolean;
  words<T>(message: T): T;
  /** Undefined where no secret was typed. */
  fingerprints(): Fingerprints | undefined;
};

/** A one-time code is worth nothing later, and its six digits occur elsewhere by chance. */
const codeMs = 600_000;

export function createTypedSecrets(
  known: readonly string[],
  clock: () => number = () => performance.now(),
): TypedSecrets {
  const until = new Map<string, number>(known.map((value) => [value, Number.POSITIVE_INFINITY]));
  const seeds: [number, number] = [randomInt(1, 2 ** 31) | 1, randomInt(1, 2 ** 31) | 1];
  let redactor: Redactor = createRedactor(known);

  function dropOld(): void {
    const before = until.size;
    for (const [value, end] of until) if (end <= clock()) until.delete(value);
    if (until.size !== before) redactor = createRedactor([...until.keys()]);
  }

  return {
    add({ value, is_code }) {
      const isNew = !until.has(value);
      until.set(value, is_code ? clock() + codeMs : Number.POSITIVE_INFINITY);
      if (isNew) redactor = createRedactor([...until.keys()]);
      return isNew;
    },
    words(message) {
      dropOld();
      return redactor.words(message);
    },
    fingerprints() {
      dropOld();
      return until.size === 0 ? undefined : fingerprintsOf([...until.keys()], seeds);
    },
  };
}

/** As the script in the page sums them up. */
function fingerprintsOf(values: string[], seeds: [number, number]): Fingerprints {
  const byLength = new Map<number, Set<string>>();
  for (const form of values.flatMap(formsOf)) {
    const lower = form.toLowerCase();
    const sum = (seed: number) =>
      [...Array(lower.length).keys()].reduce((left, i) => (Math.imul(left, seed) + lower.charCodeAt(i)) | 0, 0);
    const prints = byLength.get(lower.length) ?? new Set();
    byLength.set(lower.length, prints.add(`${sum(seeds[0])} ${sum(seeds[1])}`));
  }
  return { seeds, byLength: [...byLength].map(([length, prints]) => [length, [...prints]]) };
}
