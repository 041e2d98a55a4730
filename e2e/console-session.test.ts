import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../testkit/console/console-page.ts';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import { until } from '../testkit/until.ts';

const viewport = { width: 1440, height: 900 };
/** Wide enough for a machine that is busy with other tests. */
const soon = { timeout: 30_000 };

describe('the session page of the console', () => {
  let installation: Installation;
  let browser: Browser;
  before(async () => {
    installation = await openInstallation('console-session');
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await installation?.close();
  });

  const driver = (page: Page, state: string) => page.locator(`[data-testid=driver][data-state=${state}]`).waitFor(soon);
  const done = (page: Page) => page.locator('[data-testid=task-status][data-status=success]').waitFor(soon);
  const address = (page: Page) => page.getByTestId('address');

  async function open(steps: Parameters<Installation['client']['sendChat']>[0]['steps']) {
    const { session_id, task_id } = await installation.client.sendChat({ prompt: 'Find a lantern', steps });
    const page = await browser.newPage({ viewport });
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(`${installation.baseUrl}/sessions/${session_id}`);
    return { page, errors, session_id, task_id };
  }

  it('shows the marks of a script, is driven in the middle of it, and looks back to a step', async () => {
    const { shop } = installation;
    const { page, errors } = await open([
      { action: 'navigate', url: `${shop.url}/` },
      { action: 'type', target: 'Search', text: 'lantern' },
      { action: 'wait', for: { url: 'q=brass' }, timeout_secs: 120 },
      { action: 'click', target: 'Add Brass lantern to basket' },
    ]);
    await driver(page, 'agent');
    await page.getByTestId('mark-box').waitFor(soon);
    await page.getByTestId('mark-label').filter({ hasText: 'Search' }).waitFor(soon);

    await page.keyboard.press('Shift+W');
    await driver(page, 'you');
    await page.getByTestId('lease').waitFor(soon);
    const box = await page.getByTestId('picture').boundingBox();
    assert.ok(box, 'the picture is there');
    const scale = box.width / 1280;
    await page.mouse.click(box.x + 960 * scale, box.y + 37 * scale, { clickCount: 3 });
    await page.keyboard.type('brass');
    await page.keyboard.press('Enter');
    await until(async () => (await page.getByTestId('address-field').inputValue()).endsWith('?q=brass'), soon.timeout);
    // What they did is in the list, and not drawn over the page that they drive.
    await page.getByTestId('handover').filter({ hasText: 'Press · Type' }).waitFor(soon);
    assert.equal(await page.getByTestId('marks').count(), 0);
    await page.keyboard.press('Shift+Escape');
    await page.getByLabel('Note for the agent').fill('I searched for brass');
    await page.keyboard.press('Enter');
    await done(page);

    await page.getByTestId('result').waitFor(soon);
    await page.getByRole('tab', { name: 'Steps' }).click();
    await page.getByTestId('handover').filter({ hasText: 'You drove' }).waitFor(soon);
    const before = await page.getByTestId('picture').getAttribute('data-frame');
    await page.getByTestId('step').nth(1).getByRole('button').first().click();
    await driver(page, 'look_back');
    await until(async () => (await page.getByTestId('picture').getAttribute('data-frame')) !== before, soon.timeout);
    assert.match(page.url(), /[?&]at=/);
    await page.getByTestId('live').click();
    await driver(page, 'idle');
    assert.deepEqual(errors, []);
    await page.close();
  });

  it('shows picture, marks, progress and driver after a reload with both streams blocked', async () => {
    const { shop } = installation;
    const { page } = await open([
      { action: 'navigate', url: `${shop.url}/` },
      { action: 'type', target: 'Search', text: 'lantern' },
      { action: 'wait', for: { text: 'Never said' }, timeout_secs: 120 },
    ]);
    await page.getByTestId('mark-box').waitFor(soon);
    // With the worker that tabs share no route of the page is asked; without it they follow by themselves.
    await page.addInitScript(() => Reflect.deleteProperty(globalThis, 'SharedWorker'));
    await page.route(/\/api\/(sessions\/[^/]+\/live|streams|tasks\/[^/]+\/(events|stream))/, (route) => route.abort());
    await page.reload();
    await driver(page, 'agent');
    await page.locator('[data-testid=picture][data-frame]').waitFor(soon);
    await page.getByTestId('mark-box').waitFor(soon);
    await address(page)
      .filter({ hasText: shop.url.replace('http://', '') })
      .waitFor(soon);
    await page.locator('[data-testid=step][data-state=done]').nth(1).waitFor(soon);
    await page.locator('[data-testid=step][data-state=running]').waitFor(soon);
    await page.close();
  });

  it('shows a guest the picture at the path of the share, and nothing when the share is revoked', async () => {
    const { client, shop, baseUrl } = installation;
    const { page, session_id } = await open([{ action: 'navigate', url: `${shop.url}/` }]);
    await done(page);
    const { share } = await client.shareSession({ id: session_id });
    const guest = await browser.newPage({ viewport });
    await guest.goto(new URL(share.share_path, baseUrl).href);
    await guest.locator('[data-testid=picture][data-frame]').waitFor(soon);
    assert.equal(await guest.getByRole('button', { name: 'Take the wheel' }).count(), 0);
    await client.unshareSession({ id: session_id });
    await guest.getByText('This link is not valid, or no longer.').waitFor(soon);
    await guest.close();
    await page.close();
  });
});
