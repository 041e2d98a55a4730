import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { until } from '../../../../../testkit/until.ts';
import { connectThroughDoor, contextIdOf } from '../../../testing/doors.ts';
import { type SharedChromium, startSharedChromium } from '../../../testing/guests.ts';
import { type Site, startSite } from '../../../testing/site.ts';

/** As unmodified programs of users do: Playwright's own connection, with everything that it sends by itself. */
describe('Playwright through the door', () => {
  let chromium: SharedChromium;
  let site: Site;
  let context: BrowserContext;
  let own: Page;
  let contextId: string;
  before(async () => {
    [chromium, site] = await Promise.all([startSharedChromium(34_300), startSite()]);
    context = await chromium.browser.newContext({ viewport: { width: 900, height: 600 } });
    own = await context.newPage();
    await own.goto(`${site.url}/form`);
    contextId = await contextIdOf(context);
    // Of nobody's business.
    const other = await chromium.browser.newContext();
    await (await other.newPage()).goto('data:text/html,<title>Other</title>');
    await other.addCookies([{ name: 'other', value: '1', url: site.url }]);
  });
  after(async () => {
    await chromium?.end();
    await site?.close();
  });

  it('sees the pages of the session as those of the default context, and nothing else', async () => {
    const { browser, close } = await connectThroughDoor(chromium, contextId);
    assert.equal(browser.contexts().length, 1);
    const pages = browser.contexts()[0]?.pages() ?? [];
    assert.deepEqual(
      pages.map((page) => page.url()),
      [`${site.url}/form`],
    );
    await close();
  });

  it('clicks, fills, reads, takes pictures and calls back', async () => {
    const { browser, close } = await connectThroughDoor(chromium, contextId);
    const [page] = browser.contexts()[0]?.pages() ?? [];
    assert.ok(page);
    await page.getByRole('button', { name: 'Count' }).click();
    await page.getByLabel('Name').fill('Anna');
    assert.equal(await own.getByLabel('Name').inputValue(), 'Anna');
    assert.equal(await own.title(), 'Clicked 1');
    assert.equal(await page.locator('button').count(), await own.locator('button').count());
    assert.deepEqual([...(await page.screenshot({ type: 'jpeg' })).subarray(0, 2)], [0xff, 0xd8]);
    await page.exposeFunction('twice', (n: number) => n * 2);
    assert.equal(await page.evaluate('twice(21)'), 42);
    await page.addInitScript('window.added = 7');
    await page.goto(`${site.url}/welcome`);
    assert.equal(await page.evaluate('added'), 7);
    await page.goBack();
    assert.equal(new URL(own.url()).pathname, '/form');
    await close();
  });

  it('opens and closes pages in the context of the session', async () => {
    const { browser, close } = await connectThroughDoor(chromium, contextId);
    const before = context.pages().length;
    const page = await browser.contexts()[0]?.newPage();
    assert.ok(page);
    await page.goto(`${site.url}/welcome`);
    await until(() => context.pages().length === before + 1, 5000);
    assert.deepEqual(context.pages().at(-1)?.viewportSize(), { width: 900, height: 600 });
    await page.close();
    await until(() => context.pages().length === before, 5000);
    await assert.rejects(browser.newContext(), /not allowed/);
    await close();
  });

  it('has the cookies of the session and no others', async () => {
    const { browser, close } = await connectThroughDoor(chromium, contextId);
    const [guest] = browser.contexts();
    await guest?.addCookies([{ name: 'mine', value: '1', url: site.url }]);
    const seen = await guest?.cookies();
    assert.deepEqual(seen, await context.cookies());
    const names = seen?.map(({ name }) => name) ?? [];
    assert.ok(names.includes('mine') && !names.includes('other'), `${names}`);
    await guest?.clearCookies();
    assert.deepEqual(await context.cookies(), []);
    await close();
  });

  it('does not change what others see, and leaves without ending the browser', async () => {
    const { browser } = await connectThroughDoor(chromium, contextId);
    const [page] = browser.contexts()[0]?.pages() ?? [];
    await page?.setViewportSize({ width: 300, height: 200 });
    await page?.emulateMedia({ colorScheme: 'dark', media: 'print' });
    assert.deepEqual(await own.evaluate('[innerWidth, innerHeight, matchMedia("print").matches]'), [900, 600, false]);
    await browser.close();
    assert.ok(chromium.browser.isConnected());
    assert.equal(await own.evaluate('1'), 1);
  });
});
