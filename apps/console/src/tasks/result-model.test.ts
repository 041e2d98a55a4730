import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findTables, formatCell, isNumeric } from './result-model.ts';

describe('the tables of a result', () => {
  it('are lists of objects, with all their columns', () => {
    const offers = [
      { name: 'Brass lantern', price: 48 },
      { name: 'Deck lamp', stock: 5 },
    ];
    assert.deepEqual(findTables(offers), [{ name: 'result', columns: ['name', 'price', 'stock'], rows: offers }]);
    assert.deepEqual(
      findTables({ offers, note: 'x' }).map(({ name }) => name),
      ['offers'],
    );
  });

  it('are lists of cells under a head', () => {
    const [table] = findTables({
      offers: [
        ['name', 'price'],
        ['Lamp', '48 €'],
      ],
    });
    assert.deepEqual(table?.rows, [{ name: 'Lamp', price: '48 €' }]);
  });

  it('are none in text, numbers, empty lists and mixed ones', () => {
    for (const data of [null, 'x', 4, [], {}, ['a', 'b'], [{ a: 1 }, 2], { a: 'x' }])
      assert.deepEqual(findTables(data), []);
  });
});

it('cells are written for people, and numbers are known', () => {
  assert.deepEqual([null, true, 4, { a: 1 }].map(formatCell), ['', 'yes', '4', '{"a":1}']);
  assert.deepEqual([4, '48,00 €', '12 %', 'lamp', '', '€'].map(isNumeric), [true, true, true, false, false, false]);
});
