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
    assert.deepEqual([some.images, journey.light], [[], []]);
    assert.deepEqual(sorted(...Object.values(some), ...Object.values(journey)), sorted(...Object.values(whole)));
  });

  it('of the journey and the others that are heavy run beside each other', () => {
    const isJourney = whole.heavy.map((file) => file.startsWith('e2e/'));
    const share = isJourney.filter(Boolean).length / isJourney.length;
    for (const part of [0.25, 0.5, 0.75]) {
      const first = isJourney.slice(0, Math.round(part * isJourney.length));
      const ofFirst = first.filter(Boolean).length / first.length;
      assert.ok(Math.abs(ofFirst - share) < 0.05, `${ofFirst} of the first ${part}, ${share} of all`);
    }
  });

  it('that measure run alone, and what has a browser is not light', () => {
    const { alone, heavy, light } = inKinds([
      'bench/bounded.test.ts',
      'e2e/work.test.ts',
      'apps/browser/src/guard/guard.test.ts',
      'packages/bus/src/wire/codec.test.ts',
    ]);
    assert.deepEqual(alone, ['bench/bounded.test.ts']);
    assert.deepEqual(heavy.length, 2);
    assert.deepEqual(light, ['packages/bus/src/wire/codec.test.ts']);
  });
});
