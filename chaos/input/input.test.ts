import assert from 'node:assert/strict';
import { it } from 'node:test';
import { testSeed } from '../../testkit/seed.ts';
import { difference } from './input.plan.ts';
import { confuseInputs } from './input.ts';

it(`a page is told what a hand did, in order and once, whatever happens to the messages on their way (seed ${testSeed})`, async () => {
  const { wrong, sequences, repeated, seed } = await confuseInputs({ sequences: 40, seed: testSeed });
  assert.deepEqual(wrong, [], `seed ${seed}`);
  assert.equal(sequences, 40);
  assert.ok(repeated > 0);
});

it('a log that lacks something, or has it twice or in another order, is told from the one that was meant', () => {
  const meant = ['move 1 1', 'move 2 2', 'click 2 2', 'move 3 3', 'keydown a', 'keyup a'];
  const without = (line: string) => meant.filter((one) => one !== line);
  assert.equal(difference(meant, meant), undefined);
  assert.equal(difference(meant, without('move 1 1')), undefined, 'a newer move followed');
  assert.ok(difference(meant, without('move 2 2')));
  assert.ok(difference(meant, without('click 2 2')));
  assert.ok(difference(meant, [...meant, 'keyup a']));
  assert.ok(difference(meant, meant.with(4, 'keyup a').with(5, 'keydown a')));
  assert.ok(difference(meant, ['move 9 9', ...meant]));
});
