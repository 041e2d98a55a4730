import assert from 'node:assert/strict';
import { it } from 'node:test';
import { cut, displayWidth, pad } from './width.ts';

const widths: [text: string, columns: number][] = [
  ['', 0],
  ['lantern', 7],
  ['Größe · 2…', 10],
  ['e\u0301', 1],
  ['灯台', 4],
  ['ランプ', 6],
  ['등대', 4],
  ['ｗｉｄｅ', 8],
  ['🏮', 2],
  ['❤️', 2],
  ['🇳🇴', 2],
  ['a🏮b', 4],
];

it('a text is as wide as a terminal draws it, and what terminals draw differently is never wider than we say', () => {
  for (const [text, columns] of widths) assert.equal(displayWidth(text), columns, JSON.stringify(text));
  // Two columns where the terminal knows the family, and otherwise its three members.
  assert.equal(displayWidth('👨‍👩‍👧'), 6);
});

it('a text is cut between letters, and padded by columns', () => {
  assert.deepEqual(
    [cut('lantern', 4), cut('灯台の光', 8), cut('灯台の光', 7), cut('灯台の光', 6), cut('👨‍👩‍👧 family', 6)],
    ['lan…', '灯台の光', '灯台の…', '灯台…', '…'],
  );
  assert.deepEqual([cut('lantern', 1), cut('lantern', 0)], ['…', '']);
  assert.deepEqual([pad('灯', 4), pad('lantern', 4)], ['灯  ', 'lantern']);
});
