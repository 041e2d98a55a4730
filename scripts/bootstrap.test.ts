import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { it } from 'node:test';
import { root } from './dev/place.ts';

it('a second bootstrap finds everything there and takes under 20 seconds', () => {
  const begun = performance.now();
  const { status, stdout } = spawnSync(join(root, 'scripts/bootstrap'), { encoding: 'utf8', timeout: 60_000 });
  const tookMs = Math.round(performance.now() - begun);
  assert.equal(status, 0);
  assert.match(stdout, /^bootstrap: ready \(Node v\d+/, 'it had nothing to install');
  assert.ok(tookMs < 20_000, `${tookMs} ms`);
  console.log(`second bootstrap: ${tookMs} ms`);
});
