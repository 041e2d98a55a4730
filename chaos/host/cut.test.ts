import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { testSeed as seed } from '../../testkit/seed.ts';
import { typeStrings } from '../input/typing.ts';
import { cutCommands } from './cut.ts';
import { playHostile } from './hostile.ts';

describe(`the hands, tried at random (seed ${seed})`, () => {
  it('answer in time on hostile pages, and leave nothing', async () => {
    const { late, browsers_left, folders_left, sequences, answers } = await playHostile({
      sequences: 6,
      atOnce: 2,
      seed,
    });
    assert.deepEqual(
      { late, browsers_left, folders_left, sequences },
      { late: [], browsers_left: 0, folders_left: 0, sequences: 6 },
    );
    assert.ok((answers.done ?? 0) > 10, JSON.stringify(answers));
  });

  it('touch nothing after a new driver was acknowledged', async () => {
    const { cuts, acts_after, acknowledged_ms, ended, events } = await cutCommands({ cuts: 12, seed });
    assert.equal(cuts, 12);
    assert.deepEqual(acts_after, []);
    assert.ok(acknowledged_ms.p50 <= 150, JSON.stringify(acknowledged_ms));
    // Else nothing was cut, or nothing was there to be cut.
    assert.ok(events > 0 && Object.keys(ended).some((how) => how.startsWith('stale_epoch')), JSON.stringify(ended));
  });

  it('type what they are given, in any writing', async () => {
    const { strings, equal, wrong } = await typeStrings({ strings: 40, seed });
    assert.deepEqual(wrong, []);
    assert.equal(equal, strings);
  });
});
