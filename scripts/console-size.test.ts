import assert from 'node:assert/strict';
import { it } from 'node:test';
import { measureFirstLoads } from '../testkit/console-size.ts';

it('the first load of login, home and session stays within its script size', { timeout: 120_000 }, async () => {
  for (const [page, { bytes, kb, limitKb }] of Object.entries(await measureFirstLoads())) {
    console.log(`${page}: ${kb} KB`);
    assert.ok(bytes <= limitKb * 1024, `${page} has ${bytes} bytes`);
  }
});
