import assert from 'node:assert/strict';
import { it } from 'node:test';
import { showName, toFileName } from './shown-name.ts';

it('a name shows what would hide or reverse its letters', () => {
  assert.equal(showName('invoice\u202egpj.exe'), 'invoice[U+202E]gpj.exe');
  assert.equal(showName('a\u0000b\nc'), 'a[U+0000]b[U+000A]c');
  assert.equal(showName('Rechnung März 😀.pdf'), 'Rechnung März 😀.pdf');
  assert.equal(showName('תפריט.pdf'), 'תפריט.pdf');
});

it('a long name keeps its end in sight', () => {
  const shown = showName(`${'a'.repeat(100_000)}.exe`);
  assert.ok(shown.length <= 161 && shown.includes('…'), shown);
  assert.match(showName(`${'a'.repeat(5000)}.exe`), /\.exe$/);
});

it('a file is saved under a name without folders and hidden characters', () => {
  assert.equal(toFileName('../../etc/pass\u202ewd'), '_.._etc_passwd');
  assert.equal(toFileName('<img src=x>.html'), '_img src=x_.html');
  assert.equal(toFileName('\u202e'), 'file');
  assert.ok(toFileName(`${'a'.repeat(9000)}.csv`).endsWith('.csv'));
  assert.ok(toFileName(`${'a'.repeat(9000)}.csv`).length < 200);
});
