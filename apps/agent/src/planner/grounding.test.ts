import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json } from '@pilothouse/contract';
import { createRandom } from '../../../../testkit/random.ts';
import { ungroundedIn } from './grounding.ts';

const page = `# Brass lantern
€ 42.25 · only 3 left
Delivery on 12 March 2026, order no. AB-1093
Total: 1.234,50 €   Weight: 1,250 g
[e4 button "Remove"]`;

const known: Json[] = [
  'Brass lantern',
  'brass  LANTERN',
  42.25,
  '42.25',
  '€ 42.25',
  3,
  1234.5,
  1250,
  '2026-03-12',
  'AB-1093',
  true,
  null,
  { name: 'Brass lantern', prices: [42.25, 1234.5] },
  '',
];
const unknown: [Json, string[]][] = [
  ['Copper kettle', ['data']],
  [42.26, ['data']],
  ['2026-03-13', ['data']],
  [{ name: 'Brass lantern', price: 99 }, ['price']],
  [{ items: [{ id: 'AB-1093' }, { id: 'AB-1094' }] }, ['items.1.id']],
];

describe('a value of a result', () => {
  for (const value of known)
    it(`that was seen is not flagged: ${JSON.stringify(value)}`, () =>
      assert.deepEqual(ungroundedIn(value, [page]), []));
  for (const [value, paths] of unknown)
    it(`that was seen nowhere is flagged: ${JSON.stringify(value)}`, () =>
      assert.deepEqual(ungroundedIn(value, [page]), paths));

  it('is told from a made-up one in 50 of 50 pages, and never flagged when it is true', () => {
    const random = createRandom(11);
    const money = (cents: number, isGerman: boolean) =>
      new Intl.NumberFormat(isGerman ? 'de-DE' : 'en-US', { style: 'currency', currency: 'EUR' }).format(cents / 100);
    let [invented, wrong] = [0, 0];
    for (let i = 0; i < 50; i += 1) {
      const cents = 100 + random.below(9_000_000);
      const isGerman = random.is(0.5);
      const day = new Date(Date.UTC(2026, random.below(12), 1 + random.below(27)));
      const name = `Item ${String.fromCharCode(65 + random.below(26))}${random.below(100_000)}`;
      const shown = `${name} ${money(cents, isGerman)} ${day.toLocaleDateString(isGerman ? 'de-DE' : 'en-US', { timeZone: 'UTC' })}`;
      const truth = { name, price: cents / 100, date: day.toISOString().slice(0, 10) };
      if (ungroundedIn(truth, [shown]).length > 0) wrong += 1;
      const made = { ...truth, price: truth.price + 1.01 };
      if (ungroundedIn(made, [shown]).join() === 'price') invented += 1;
    }
    assert.deepEqual([invented, wrong], [50, 0]);
  });
});
