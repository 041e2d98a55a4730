import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { testSeed as seed } from '../../testkit/seed.ts';
import { withStack } from '../../testkit/stack/with-services.ts';
import { raceForWheels } from './races.ts';

describe(`several people and the agent for one wheel (seed ${seed})`, () => {
  for (const [hands, races] of [
    ['double', 20],
    ['chromium', 4],
  ] as const) {
    it(`never two of them, with ${hands}`, async () => {
      const { wrong, ...met } = await withStack(`wheel-${hands}-${process.pid}`, (stack) =>
        raceForWheels({ stack, seed, races, atOnce: 2, hands }),
      );
      console.log(JSON.stringify(met));
      assert.deepEqual(wrong, []);
      assert.ok(met.won >= races && met.touches_of_agents > 0, 'they met');
      assert.equal(met.touches_of_people, met.presses, 'each press once');
    });
  }
});
