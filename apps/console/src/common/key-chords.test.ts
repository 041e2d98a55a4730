import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createChordReader, isSingleKey, nameChord } from './key-chords.ts';

const press = (key: string, held: Partial<Record<'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey', boolean>> = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...held,
});

it('keys are named as shortcuts are written', () => {
  assert.equal(nameChord(press('k', { metaKey: true }), true), 'mod+k');
  assert.equal(nameChord(press('k', { ctrlKey: true }), false), 'mod+k');
  assert.equal(nameChord(press('W', { shiftKey: true }), false), 'shift+w');
  assert.equal(nameChord(press('?', { shiftKey: true }), false), '?');
  assert.equal(nameChord(press(' '), false), 'space');
  assert.equal(isSingleKey('shift+w'), true);
  assert.equal(isSingleKey('mod+k'), false);
});

it('a sequence is complete with its second key, unless that comes too late', () => {
  const names = ['g h', 'g i', 'h'];
  const read = createChordReader();
  assert.equal(read('g', names, 0), undefined);
  assert.equal(read('h', names, 500), 'g h');
  assert.equal(read('h', names, 600), 'h');
  assert.equal(read('g', names, 1000), undefined);
  assert.equal(read('h', names, 2500), 'h');
  assert.equal(read('g', names, 3000), undefined);
  assert.equal(read('x', names, 3100), undefined);
  assert.equal(read('i', names, 3200), undefined);
});
