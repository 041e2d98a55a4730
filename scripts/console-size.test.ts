import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { measureFirstLoads } from '../testkit/console-size.ts';

let loads: Awaited<ReturnType<typeof measureFirstLoads>>;
before(
  async () => {
    loads = await measureFirstLoads();
  },
  { timeout: 120_000 },
);

it('the first load of login, home and session stays within its script size', () => {
  for (const [page, { bytes, kb, limitKb }] of Object.entries(loads)) {
    console.log(`${page}: ${kb} KB`);
    assert.ok(bytes <= limitKb * 1024, `${page} has ${bytes} bytes`);
  }
});

it('the script editor is loaded apart from every page, within its size', () => {
  for (const [page, { editor }] of Object.entries(loads)) {
    console.log(`editor after ${page}: ${editor.kb} KB`);
    // CodeMirror alone is larger than this: a page that loads it at first would leave less.
    assert.ok(editor.kb > 100, `${page} loads the editor at first`);
    assert.ok(editor.bytes <= editor.limitKb * 1024, `the editor has ${editor.bytes} bytes`);
  }
});
