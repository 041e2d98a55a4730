import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { dataOutside } from './folders.ts';

it('data outside the checkout has a place nobody can guess, remembered, and refused once it is not ours', () => {
  const dir = mkdtempSync(join(tmpdir(), 'place-'));
  const other = mkdtempSync(join(tmpdir(), 'place-'));
  const data = dataOutside(dir, undefined);
  const aside = `${data}-aside`;
  try {
    assert.equal(dataOutside(dir, undefined), data);
    assert.notEqual(dataOutside(other, undefined), data);
    assert.equal(statSync(data).mode & 0o777, 0o700);
    assert.equal(statSync(join(dir, 'data-place')).mode & 0o777, 0o600);
    renameSync(data, aside);
    symlinkSync(aside, data);
    assert.throws(() => dataOutside(dir, undefined), /no folder of ours/);
  } finally {
    for (const path of [data, aside, dataOutside(other, undefined), dir, other])
      rmSync(path, { recursive: true, force: true });
  }
});
