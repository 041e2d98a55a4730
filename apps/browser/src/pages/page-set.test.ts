import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Browser, chromium, type Page } from 'playwright-core';
import { until } from '../../../../testkit/until.ts';
import { startDeadline } from '../common/deadline.ts';
import { createPageSet } from './page-set.ts';

describe('the pages that are a session’s', () => {
  let browser: Browser;
  before(async () => {
    const executablePath = '/usr/lib/chromium/chromium-headless-shell';
    // Chromium refuses it as root, and the pages here are our own.
    browser = await chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 });
  });
  after(() => browser?.close());

  async function open() {
    const context = await browser.newContext();
    const first = await context.newPage();
    const taken: Page[] = [];
    const set = createPageSet(context, (page) => taken.push(page) > 0);
    return { context, first, taken, set };
  }
  const inTime = () => startDeadline(10_000, new AbortController().signal);

  it('are without one that the host opens for itself', async () => {
    const { taken, set, first } = await open();
    const unseen = await set.openUnseen(inTime());
    assert.deepEqual(set.all(), [first]);
    assert.deepEqual(taken, []);
    await unseen.close();
  });

  it('are with blank windows that a site opens in the same moment', async () => {
    const { taken, set, first, context } = await open();
    for (let round = 0; round < 5; round += 1) {
      const popups = first.evaluate('for (let i = 0; i < 3; i += 1) open("about:blank", "_blank", "noopener")');
      const [unseen] = await Promise.all([set.openUnseen(inTime()), popups]);
      const count = 3 * (round + 1);
      await until(() => taken.length === count, 10_000);
      assert.ok(!taken.includes(unseen));
      assert.equal(set.all().length, count + 1);
      await unseen.close();
    }
    await context.close();
  });

  it('are counted again after a page of the host did not come in time', async () => {
    const { taken, set, first, context } = await open();
    await assert.rejects(set.openUnseen(startDeadline(0, AbortSignal.abort())));
    const popup = first.evaluate('open("about:blank")').then(() => undefined);
    await popup;
    await until(() => taken.some((page) => !page.isClosed()), 10_000);
    await until(() => context.pages().length === 2, 10_000);
    assert.equal(set.all().length, 2);
    await context.close();
  });
});
