import assert from 'node:assert/strict';
import { it } from 'node:test';
import { commandsOf, keyOf, type Modifier } from './key-codes.ts';

const of = (name: string, ...modifiers: Modifier[]) => {
  const key = keyOf(name, modifiers);
  return key && [key.key, key.code, key.windowsVirtualKeyCode, key.location, key.text];
};

it('knows what each key is on the usual layout', () => {
  assert.deepEqual(of('a'), ['a', 'KeyA', 65, 0, 'a']);
  assert.deepEqual(of('A'), ['A', 'KeyA', 65, 0, 'A']);
  assert.deepEqual(of('a', 'Shift'), ['A', 'KeyA', 65, 0, 'A']);
  assert.deepEqual(of('1', 'Shift'), ['!', 'Digit1', 49, 0, '!']);
  assert.deepEqual(of('?'), ['?', 'Slash', 191, 0, '?']);
  assert.deepEqual(of(' '), [' ', 'Space', 32, 0, ' ']);
  assert.deepEqual(of('Enter'), ['Enter', 'Enter', 13, 0, '\r']);
  assert.deepEqual(of('F12'), ['F12', 'F12', 123, 0, undefined]);
  assert.deepEqual(of('Shift'), ['Shift', 'ShiftLeft', 16, 1, undefined]);
  assert.deepEqual(of('ArrowLeft', 'Shift'), ['ArrowLeft', 'ArrowLeft', 37, 0, undefined]);
});

it('finds keys by their codes and by other names of theirs', () => {
  assert.deepEqual(of('KeyQ'), of('q'));
  assert.deepEqual(of('Esc'), of('Escape'));
  assert.deepEqual(of('Numpad7'), ['7', 'Numpad7', 103, 3, '7']);
  assert.deepEqual(of('NumpadEnter'), ['Enter', 'NumpadEnter', 13, 3, '\r']);
  assert.deepEqual(of('7'), ['7', 'Digit7', 55, 0, '7'], 'the row above the letters is meant');
});

it('types letters that the layout does not have, and nothing for names that are no keys', () => {
  assert.deepEqual(of('ß'), ['ß', '', 0, 0, 'ß']);
  assert.deepEqual(of('😀'), ['😀', '', 0, 0, '😀']);
  assert.equal(of('Nonsense'), undefined);
  assert.equal(of('constructor'), undefined);
});

it('types nothing while a key of command is held, and says what is done to the text instead', () => {
  const commands = (name: string, ...modifiers: Modifier[]) => {
    const key = keyOf(name, modifiers);
    return key && [key.text, ...commandsOf(key, modifiers)];
  };
  assert.deepEqual(commands('a', 'Control'), [undefined, 'selectAll']);
  assert.deepEqual(commands('v', 'Meta'), [undefined, 'paste']);
  assert.deepEqual(commands('z', 'Control', 'Shift'), [undefined, 'redo']);
  assert.deepEqual(commands('a', 'Control', 'Alt'), [undefined]);
  assert.deepEqual(commands('k', 'Control'), [undefined]);
  assert.deepEqual(commands('a'), ['a']);
});
