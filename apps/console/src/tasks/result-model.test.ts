import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cellOf, findTables, formatCell, isNumeric, measureColumns, writeAsText } from './result-model.ts';

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

it('a column that is called as something every object has is empty where a row lacks it', () => {
  assert.equal(cellOf({ a: 1 }, 'constructor'), undefined);
  assert.equal(cellOf({ constructor: 'x' }, 'constructor'), 'x');
});

it('columns are as wide as their first rows, within bounds, and know numbers', () => {
  const rows = Array.from({ length: 10_000 }, (_, index) => ({ n: index, words: 'w'.repeat(100), short: '' }));
  assert.deepEqual(measureColumns(['n', 'words', 'short'], rows), [
    { column: 'n', chars: 4, isNumber: true },
    { column: 'words', chars: 32, isNumber: false },
    { column: 'short', chars: 5, isNumber: false },
  ]);
});

it('data is written as text by its names', () => {
  assert.equal(writeAsText({ heading: 'Lamps', prices: [4] }), 'heading\nLamps\n\nprices\n[\n  4\n]');
  assert.equal(writeAsText('words'), 'words');
  assert.equal(writeAsText([1]), '[\n  1\n]');
});
