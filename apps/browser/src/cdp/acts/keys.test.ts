import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { typedText } from './keys.ts';

const [alt, control, meta, shift] = [1, 2, 4, 8];

describe('a key event of a guest', () => {
  it('writes text, or presses a key, or is nothing by itself', () => {
    const rows: [Record<string, unknown>, string | undefined][] = [
      [{ type: 'keyDown', key: 'a', text: 'a' }, 'text a'],
      [{ type: 'keyDown', key: 'A', text: 'A', modifiers: shift }, 'text A'],
      [{ type: 'keyDown', key: '@', text: '@', modifiers: control | alt }, 'text @'],
      [{ type: 'char', text: 'ß' }, 'text ß'],
      [{ type: 'rawKeyDown', key: 'a' }, undefined],
      [{ type: 'keyUp', key: 'a' }, undefined],
      [{ type: 'keyDown', key: 'Enter', text: '\r' }, 'key Enter'],
      [{ type: 'char', key: 'Enter', text: '\r' }, undefined],
      [{ type: 'rawKeyDown', key: 'Tab', modifiers: shift }, 'key Shift+Tab'],
      [{ type: 'rawKeyDown', key: 'a', modifiers: control }, 'key Control+a'],
      [{ type: 'rawKeyDown', key: 'v', modifiers: meta }, 'key Meta+v'],
      [{ type: 'rawKeyDown', key: 'Control', modifiers: control }, undefined],
      [{ type: 'rawKeyDown', key: 'Shift', modifiers: shift }, undefined],
      [{ type: 'keyDown', key: 7, text: 8 }, undefined],
    ];
    for (const [event, expected] of rows) {
      const typed = typedText(event);
      const said = typed && (typed.type === 'text' ? `text ${typed.text}` : `key ${typed.key}`);
      assert.equal(said, expected, JSON.stringify(event));
    }
  });
});
