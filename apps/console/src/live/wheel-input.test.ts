import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { placeOnPage, readEdit, readKey, readWheel } from './wheel-input.ts';

const press = (key: string, held: Partial<Parameters<typeof readKey>[0]> = {}) =>
  readKey({
    key,
    isComposing: false,
    isAltGraph: false,
    altKey: false,
    ctrlKey: false,
    metaKey: false,
    shiftKey: false,
    ...held,
  });

describe('a key of the person who drives', () => {
  it('goes to the page by its name, with what is held', () => {
    assert.deepEqual(press('Enter'), { action: 'key', key: 'Enter', modifiers: [] });
    assert.deepEqual(press('Tab', { shiftKey: true }), { action: 'key', key: 'Tab', modifiers: ['Shift'] });
    assert.deepEqual(press('a', { ctrlKey: true }), { action: 'key', key: 'a', modifiers: ['Control'] });
    assert.deepEqual(press('Escape'), { action: 'key', key: 'Escape', modifiers: [] });
  });

  it('is no input where its text follows, where it is only held, or while a word is composed', () => {
    for (const key of ['a', 'É', '漢', '😀', 'Dead', 'Process', 'Unidentified', 'Shift', 'CapsLock'])
      assert.equal(press(key), undefined, key);
    assert.equal(press('Enter', { isComposing: true }), undefined);
    assert.equal(press('v', { ctrlKey: true }), undefined, 'the pasted text follows');
    assert.equal(press('V', { metaKey: true }), undefined);
    assert.equal(press('@', { isAltGraph: true, altKey: true, ctrlKey: true }), undefined, 'a character of its layout');
  });

  it('frees the keys with Shift and Escape', () => {
    assert.equal(press('Escape', { shiftKey: true }), 'free');
  });
});

describe('an edit of the hidden field', () => {
  it('is text or a key', () => {
    assert.deepEqual(readEdit('insertText', 'ß'), { action: 'type', text: 'ß' });
    assert.deepEqual(readEdit('deleteContentBackward', null), { action: 'key', key: 'Backspace' });
    assert.deepEqual(readEdit('insertLineBreak', null), { action: 'key', key: 'Enter' });
    assert.equal(readEdit('historyUndo', null), undefined);
  });
});

describe('the mouse', () => {
  it('is at the place of the page under it', () => {
    const box = { left: 100, top: 50, width: 640, height: 360 };
    const page = { width: 1280, height: 720 };
    assert.deepEqual(placeOnPage({ clientX: 420, clientY: 230 }, box, page), { x: 640, y: 360 });
    assert.equal(placeOnPage({ clientX: 1, clientY: 1 }, { ...box, width: 0 }, page), undefined);
  });

  it('scrolls by pixels, lines or pages', () => {
    assert.deepEqual(readWheel({ deltaX: 0, deltaY: 53, deltaMode: 0 }, 720), { delta_x: 0, delta_y: 53 });
    assert.deepEqual(readWheel({ deltaX: 0, deltaY: 3, deltaMode: 1 }, 720), { delta_x: 0, delta_y: 120 });
    assert.deepEqual(readWheel({ deltaX: 1, deltaY: 0, deltaMode: 2 }, 720), { delta_x: 720, delta_y: 0 });
  });
});
