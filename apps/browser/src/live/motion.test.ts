import assert from 'node:assert/strict';
import { it } from 'node:test';
import { watchForRest } from './motion.ts';

/** When it is found restless, if frames come at these times. */
const foundAt = (...times: number[]) => foundAtRate(100, ...times);
const foundAtRate = (intervalMs: number, ...times: number[]) => {
  const rest = watchForRest(1000, () => intervalMs, 0);
  return times.find((at) => rest.isRestless(at));
};
const every = (ms: number, until: number, from = 0) =>
  Array.from({ length: Math.floor((until - from) / ms) }, (_, index) => from + (index + 1) * ms);

it('finds a page restless whose frames keep coming, and no other', () => {
  assert.equal(foundAt(...every(100, 3000)), 1000);
  assert.equal(foundAt(...every(250, 3000)), 1000, 'also where the machine is slow');
  assert.equal(foundAt(...every(500, 9000)), undefined);
  assert.equal(foundAtRate(500, ...every(550, 9000)), 1100, 'also where few frames are asked for');
  assert.equal(foundAt(...every(50, 900)), undefined, 'it came to rest in time');
  assert.equal(foundAt(...every(50, 900), ...every(50, 2200, 1300)), undefined, 'and again after a rest');
});
