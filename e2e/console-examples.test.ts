// A newcomer at the first page: each task that is offered is chosen by a click, run, and done as it says.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { demoExamples, startShop } from '@pilothouse/stack';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../testkit/console/console-page.ts';
import { looksWell } from '../testkit/console/looks-well.ts';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import { until } from '../testkit/until.ts';

const soon = { timeout: 60_000 };

describe('the tasks to try on the first page', () => {
  let shop: Awaited<ReturnType<typeof startShop>>;
  let installation: Installation;
  let browser: Browser;
  let page: Page;

  before(async () => {
    shop = await startShop();
    process.env.EXAMPLES = JSON.stringify(demoExamples(shop.url));
    installation = await openInstallation('console-examples', { sites: [shop.url] });
    browser = await launchBrowser();
    page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  });
  after(async () => {
    delete process.env.EXAMPLES;
    await browser?.close();
    await installation?.close();
    await shop?.close();
  });

  async function choose(title: string): Promise<string> {
    await page.goto(`${installation.baseUrl}/`);
    await page.getByRole('list', { name: 'Tasks to try' }).getByRole('button', { name: title }).click(soon);
    await page.getByRole('button', { name: /^Run/ }).click();
    await page.waitForURL(/\/sessions\/[0-9a-f-]+\?task=/, soon);
    return new URL(page.url()).searchParams.get('task') ?? '';
  }
  const status = async (id: string) => (await installation.client.getTaskStatus({ id })).status;
  const done = (id: string, wanted: string) => until(async () => (await status(id)).status === wanted, 60_000);

  it('are legible, and a click alone runs nothing', { timeout: 120_000 }, async () => {
    await page.goto(`${installation.baseUrl}/`);
    await page.getByRole('list', { name: 'Tasks to try' }).waitFor(soon);
    await looksWell(page, 'tasks to try');
    await page.getByRole('button', { name: 'Read a price' }).click();
    assert.deepEqual((await installation.client.listTasks()).tasks, []);
  });

  it('fill a basket and read a price', { timeout: 240_000 }, async () => {
    await done(await choose('Put a lantern into the basket'), 'success');
    assert.deepEqual(
      shop.posts.map(({ path }) => path),
      ['/basket'],
    );
    const price = await choose('Read a price');
    await done(price, 'success');
    assert.deepEqual((await status(price)).result?.data, { product: 'Pocket compass', price: '32 €' });
  });

  it('order nothing before a yes, nor after a no', { timeout: 240_000 }, async () => {
    const orders = () => shop.posts.filter(({ path }) => path === '/orders').length;
    const refused = await choose('Ask me before it orders');
    await done(refused, 'awaiting_user');
    const { question } = await status(refused);
    assert.deepEqual([question?.kind, question?.approval?.name], ['approval', 'Place order']);
    assert.equal(orders(), 0, 'nothing is ordered before the answer');
    await page.getByTestId('approval').getByRole('button', { name: 'No', exact: true }).click(soon);
    await done(refused, 'failed');
    assert.equal(orders(), 0, 'a no orders nothing');
    const agreed = await choose('Ask me before it orders');
    await done(agreed, 'awaiting_user');
    const { asked_at } = (await status(agreed)).question ?? {};
    await installation.client.signalTakeover({ id: agreed, answer: 'once', asked_at });
    await done(agreed, 'success');
    assert.equal(orders(), 1);
  });
});
