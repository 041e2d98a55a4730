import assert from 'node:assert/strict';
import { it } from 'node:test';
import { changedTexts, editedItems, hasWords, keyAfterRemoval, moveItem } from './plan-edits.ts';

const proposed = [{ text: 'Open the shop', site: 'shop.test' }, { text: 'Find a lantern' }, { text: 'Buy it' }];
const items = editedItems(proposed);
const textsOf = (list: readonly { text: string }[]) => list.map(({ text }) => text);

it('an item moves by one place, and not over the ends', () => {
  assert.deepEqual(textsOf(moveItem(items, 2, -1)), ['Open the shop', 'Buy it', 'Find a lantern']);
  assert.deepEqual(textsOf(moveItem(items, 0, 1)), ['Find a lantern', 'Open the shop', 'Buy it']);
  assert.equal(moveItem(items, 0, -1), items);
  assert.equal(moveItem(items, 2, 1), items);
  assert.equal(moveItem(items, 9, 1), items);
});

it('after a removal the next item has the focus, or the last', () => {
  assert.deepEqual(
    [0, 1, 2].map((key) => keyAfterRemoval(items, key)),
    [1, 2, 1],
  );
});

it('a plan that is as it was proposed is a plain yes; any other is sent item by item', () => {
  assert.equal(changedTexts(items, proposed), undefined);
  assert.equal(changedTexts(moveItem(moveItem(items, 0, 1), 0, -1), proposed), undefined);
  const [first, second] = items;
  assert.ok(first && second);
  assert.deepEqual(changedTexts([second, { ...first, text: '  Open it ' }], proposed), ['Find a lantern', 'Open it']);
  const blank = items.map((item) => ({ ...item, text: ' ' }));
  assert.deepEqual([changedTexts(blank, proposed), hasWords(blank), hasWords(items)], [[], false, true]);
});
