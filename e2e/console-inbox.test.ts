import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchBrowser } from '../testkit/console/console-page.ts';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import { until } from '../testkit/until.ts';

/** Wide enough for a machine that is busy with other tests. */
const soon = { timeout: 15_000 };

describe('the inbox in the console', () => {
  let installation: Installation;
  let browser: Browser;
  let context: BrowserContext;
  before(async () => {
    installation = await openInstallation('console-inbox', { disableAuth: true });
    browser = await launchBrowser();
    context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  });
  after(async () => {
    await browser?.close();
    await installation?.close();
  });

  /** A page, and how often it has read the list of the inbox. */
  async function open(path: string) {
    const page = await context.newPage();
    await page.clock.install();
    let lists = 0;
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === '/api/inbox') lists += 1;
    });
    await page.goto(`${installation.baseUrl}${path}`);
    return { page, lists: () => lists };
  }
  const ask = () =>
    installation.client.sendChat({ prompt: `open ${installation.shop.url}/\nask "Which of the lanterns?"` });
  const waiting = (page: Page, count: number) =>
    page.getByRole('link', { name: `Inbox, ${count} waiting for you` }).waitFor(soon);
  const noneWaiting = (page: Page) => page.getByRole('link', { name: 'Inbox', exact: true }).first().waitFor(soon);

  it('is counted in the rail of every tab and listed where it is shown, without a reload and without a poll', async () => {
    const settings = await open('/settings');
    const inbox = await open('/inbox');
    await inbox.page.getByText('Nothing waits for you').waitFor(soon);
    await noneWaiting(settings.page);
    const before = inbox.lists();
    assert.equal(before, 1, 'the list is read once, although the stream begins with its state');

    const { task_id } = await ask();
    await waiting(inbox.page, 1);
    await inbox.page.getByRole('heading', { name: 'Which of the lanterns?' }).waitFor(soon);
    await waiting(settings.page, 1);
    assert.equal(settings.lists(), 0, 'the rail reads no list');
    assert.ok(inbox.lists() - before <= 2, `${inbox.lists() - before} reads for one change`);

    await installation.client.signalTakeover({ id: task_id, answer: 'The brass one' });
    await inbox.page.getByText('Nothing waits for you').waitFor(soon);
    await noneWaiting(settings.page);
    assert.equal(settings.lists(), 0);
    // Where it is polled, it is read at least every 30 s: every timer that is due in this time runs now.
    const atRest = inbox.lists();
    for (const { page } of [settings, inbox]) {
      await page.clock.runFor(31_000);
      // What the timers asked for was sent before this.
      await page.evaluate(async () => void (await fetch('/api/health')));
    }
    assert.deepEqual([inbox.lists(), settings.lists()], [atRest, 0]);
    for (const { page } of [settings, inbox]) await page.close();
  });

  it('is polled where there is no shared worker, and takes no connection of the few', async () => {
    const page = await context.newPage();
    await page.addInitScript('delete globalThis.SharedWorker');
    const read: string[] = [];
    page.on('request', (request) => read.push(new URL(request.url()).pathname));
    await page.goto(`${installation.baseUrl}/settings`);
    await until(() => read.includes('/api/inbox'), 20_000);
    const { task_id } = await ask();
    await page.getByRole('link', { name: 'Inbox, 1 waiting for you' }).waitFor({ timeout: 45_000 });
    assert.deepEqual(
      read.filter((path) => path === '/api/inbox/events' || path === '/api/streams'),
      [],
    );
    await installation.client.cancelTask({ id: task_id });
    await page.close();
  });
});
