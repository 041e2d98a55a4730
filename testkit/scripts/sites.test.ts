import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Browser, chromium } from 'playwright-core';
import { type Sites, startSites } from '../sites/sites.ts';
import { runBare } from './bare.ts';
import { judge } from './judge.ts';
import { kindsFor, makeScript } from './kinds.ts';

const able = { canPutFiles: true };
/** One of each site: the others are run by the whole in `scripts.test.ts`. */
const few = new Set([
  'shop: buy',
  'mail: delete',
  'forms: choices',
  'forms: impossible',
  'tables: sort',
  'login: remember',
  'upload: brought',
  'download: csv',
  'popup: choose',
  'iframe: card',
  'slow: covered',
]);
// SCRIPTS=200 SEED=7 npm run e2e -- testkit/scripts/sites.test.ts: runs that number, of all kinds.
const count = Number(process.env.SCRIPTS ?? 0);
const seed = Number(process.env.SEED ?? 1);
const kinds = kindsFor(able).map(([kind]) => kind);
const chosen =
  count > 0
    ? Array.from({ length: count }, (_, index) => index)
    : kinds.flatMap((kind, index) => (few.has(kind) ? index : []));

describe('the sites, visited by a bare browser,', () => {
  let sites: Sites;
  let browser: Browser;
  before(async () => {
    sites = await startSites();
    // Our own pages on loopback: the sandbox, which root cannot have, is not needed.
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium-headless-shell', args: ['--no-sandbox'] });
  });
  after(async () => {
    await browser?.close();
    await sites?.close();
  });

  describe('know afterwards what the script says', { concurrency: 4 }, () => {
    for (const index of chosen) {
      it(`${kinds[index % kinds.length]}, ${index}`, async () => {
        const { script, visitor } = makeScript(sites, able, seed, index);
        const outcome = await runBare(browser, script);
        assert.deepEqual(judge(script, outcome, visitor), [], JSON.stringify(script.ask, null, 1));
      });
    }
  });
});
