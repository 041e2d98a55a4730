import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { it } from 'node:test';
import { cancelAtRandom } from '../chaos/cancel.ts';
import { openHouse } from './house.ts';
import { startDesk } from './site/desk.ts';

const seed = randomInt(2 ** 31);

// `npm run chaos -- cancel` does it a hundred times.
it(`a cancel at any moment stops the task, and the next of its session runs (seed ${seed})`, async () => {
  const desk = await startDesk();
  const house = await openHouse('cancel', { sites: [desk.url] });
  try {
    const { baseUrl } = house;
    const met = await cancelAtRandom({ baseUrl, desk, cancels: 5, seed });
    const { cancels, acts_after, answered_late, next_failed } = met;
    const expected = { cancels: 5, acts_after: [], answered_late: 0, next_failed: [] };
    assert.deepEqual({ cancels, acts_after, answered_late, next_failed }, expected);
  } finally {
    await house.close();
    await desk.close();
  }
});
