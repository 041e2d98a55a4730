import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../testkit/stack/folders.ts';
import { brokenLines, core, holdsOnce } from './lines-to-break.ts';

describe('the lines that are broken to see whether a test notices', () => {
  for (const { what, file, line, tests } of brokenLines)
    it(`still has: ${what}`, () => {
      assert.ok(holdsOnce(readFileSync(join(root, core, file), 'utf8'), line), `${file} has to hold once: ${line}`);
      for (const test of tests) assert.ok(existsSync(join(root, core, `${test}.test.ts`)), test);
    });
});
