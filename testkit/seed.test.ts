import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { seedFrom } from './seed.ts';
import { root } from './stack/folders.ts';

it('a seed is the same in every run, unless another one or a random one is asked for', () => {
  assert.equal(seedFrom(undefined), seedFrom(''));
  assert.equal(seedFrom('7'), 7);
  assert.notEqual(seedFrom('random'), seedFrom('random'));
  assert.throws(() => seedFrom('seven'), /not a seed/);
});

it('no test of chaos chooses a random seed by itself', () => {
  const files = readdirSync(join(root, 'chaos'), { recursive: true, encoding: 'utf8' });
  const random = files
    .filter((file) => /\.ts$/.test(file))
    .filter((file) => {
      const text = readFileSync(join(root, 'chaos', file), 'utf8');
      return /randomInt\(|seed: process\.pid/.test(text);
    });
  assert.deepEqual(random, []);
});
