import assert from 'node:assert/strict';
import { it } from 'node:test';
import { findByLetters, moveInList } from './list-keys.ts';

const options = ['Bergen', 'Brest', 'Cádiz', 'Kobe'].map((text, index) => ({ text, disabled: index === 1 }));

it('keys go from option to option, past disabled ones and not past the ends', () => {
  assert.equal(moveInList(options, 0, 'ArrowDown'), 2);
  assert.equal(moveInList(options, 2, 'ArrowUp'), 0);
  assert.equal(moveInList(options, 3, 'ArrowDown'), undefined);
  assert.equal(moveInList(options, -1, 'ArrowDown'), 0);
  assert.equal(moveInList(options, 0, 'End'), 3);
  assert.equal(moveInList(options, 3, 'PageUp'), 0);
  assert.equal(moveInList(options, 0, 'PageDown'), 3);
  assert.equal(moveInList(options, 0, 'x'), undefined);
});

it('letters lead to the option that begins with them, and one letter repeated to the next', () => {
  assert.equal(findByLetters(options, 0, 'k'), 3);
  assert.equal(findByLetters(options, 3, 'b'), 0);
  assert.equal(findByLetters(options, 0, 'cá'), 2);
  assert.equal(findByLetters(options, 0, 'br'), undefined);
  const same = ['Berth 1', 'Berth 2'].map((text) => ({ text, disabled: false }));
  assert.equal(findByLetters(same, 0, 'b'), 1);
  assert.equal(findByLetters(same, 1, 'bb'), 0);
  assert.equal(findByLetters(same, 0, 'berth 2'), 1);
});
