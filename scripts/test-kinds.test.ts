import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { describe, it } from 'node:test';
import { root } from '../testkit/stack/folders.ts';
import { inKinds, journeyFiles, testFiles } from './test-kinds.ts';

const sorted = (...lists: string[][]) => lists.flat().toSorted();

describe('the test files', () => {
  const whole = testFiles({ isWhole: true });
  const some = testFiles({ isWhole: false });

  it('are all in a whole run, each once', () => {
    const all = globSync('**/*.test.ts', { cwd: root, exclude: ['**/node_modules/**', '.tools/**', '.dev/**'] });
    assert.deepEqual(sorted(...Object.values(whole)), sorted(all));
  });

  it('are those of `npm test` and of the journey, which has the images apart', () => {
    const journey = journeyFiles();
    assert.deepEqual(journey.images, ['e2e/images.test.ts']);
    assert.deepEqual([some.images, some.journey, journey.heavy, journey.light], [[], [], [], []]);
    assert.deepEqual(sorted(...Object.values(some), ...Object.values(journey)), sorted(...Object.values(whole)));
  });

  it('that measure run alone, and what has a browser is not light', () => {
    const { alone, heavy, journey, light } = inKinds([
      'bench/bounded.test.ts',
      'e2e/work.test.ts',
      'apps/browser/src/guard/guard.test.ts',
      'packages/bus/src/wire/codec.test.ts',
    ]);
    assert.deepEqual(alone, ['bench/bounded.test.ts']);
    assert.deepEqual([heavy, journey], [['apps/browser/src/guard/guard.test.ts'], ['e2e/work.test.ts']]);
    assert.deepEqual(light, ['packages/bus/src/wire/codec.test.ts']);
  });
});
