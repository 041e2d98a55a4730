import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openInstallation } from '../testkit/installation.ts';
import { runScripts } from '../testkit/scripts/run.ts';
import { startSites } from '../testkit/sites/sites.ts';

// The full size is `npm run chaos -- scripts`.
it('does what a script of each kind says: the end, the result and the database of the site agree', async () => {
  const sites = await startSites();
  const installation = await openInstallation('scripts', { sites: [sites.url] });
  try {
    const { mismatches, scripts, kinds } = await runScripts({ installation, sites, atOnce: 4, seed: 1 });
    assert.deepEqual(mismatches, []);
    assert.equal(scripts, kinds);
  } finally {
    await installation.close();
    await sites.close();
  }
});
