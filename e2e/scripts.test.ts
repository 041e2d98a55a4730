import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openHouse } from './house.ts';
import { runScripts } from './scripts/run.ts';
import { startSites } from './sites/sites.ts';

// The full size is `npm run chaos -- scripts`.
it('does what a script of each kind says: the end, the result and the database of the site agree', async () => {
  const sites = await startSites();
  const house = await openHouse('scripts', { sites: [sites.url] });
  try {
    const { mismatches, scripts, kinds } = await runScripts({ house, sites, atOnce: 4, seed: 1 });
    assert.deepEqual(mismatches, []);
    assert.equal(scripts, kinds);
  } finally {
    await house.close();
    await sites.close();
  }
});
