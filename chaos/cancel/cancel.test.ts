import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openInstallation } from '../../testkit/installation.ts';
import { startOffice } from '../../testkit/pages/office.ts';
import { testSeed as seed } from '../../testkit/seed.ts';
import { cancelAtRandom } from './cancel.ts';

// `npm run chaos -- cancel` does it a hundred times.
it(`a cancel at any moment stops the task, and the next of its session runs (seed ${seed})`, async () => {
  const office = await startOffice();
  const installation = await openInstallation('cancel', { sites: [office.url] });
  try {
    const { baseUrl } = installation;
    const met = await cancelAtRandom({ baseUrl, office, cancels: 5, seed });
    const { cancels, acts_after, answered_late, next_failed } = met;
    const expected = { cancels: 5, acts_after: [], answered_late: 0, next_failed: [] };
    assert.deepEqual({ cancels, acts_after, answered_late, next_failed }, expected);
  } finally {
    await installation.close();
    await office.close();
  }
});
