import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { launchBrowser } from '../testkit/console/console-page.ts';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import { listen } from '../testkit/listen.ts';
import { countNodes, openLongTask } from '../testkit/long-task.ts';
import { until } from '../testkit/until.ts';

const viewport = { width: 1440, height: 900 };
/** Wide enough for a machine that is busy with other tests. */
const soon = { timeout: 30_000 };
/** A folder for pictures; none are made without it. */
const pictures = process.env.PICTURES;

/** Has its button later than the first attempt to press it lasts. */
const latePage = `<!doctype html><title>Late</title><h1>Wait for it</h1><p id="place"></p><script>
  setTimeout(() => { document.getElementById('place').innerHTML = '<button>Late button</button>' }, 13500)</script>`;

describe('the time axis of the console', () => {
  let installation: Installation;
  let browser: Browser;
  let site: Awaited<ReturnType<typeof listen>>;
  before(async () => {
    site = await listen(
      createServer((_, response) => response.setHeader('content-type', 'text/html; charset=utf-8').end(latePage)),
    );
    installation = await openInstallation('console-axis', { sites: [site.url] });
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await installation?.close();
    await site?.close();
  });

  const driver = (page: Page, state: string) => page.locator(`[data-testid=driver][data-state=${state}]`).waitFor(soon);
  const status = (page: Page, value: string) =>
    page.locator(`[data-testid=task-status][data-status=${value}]`).waitFor(soon);
  const bands = (page: Page, kind: string) => page.locator(`[data-testid=band][data-kind=${kind}]`);
  const running = (page: Page, title: string) =>
    page.locator('[data-testid=step][data-state=running]').filter({ hasText: title }).waitFor(soon);
  const slider = (page: Page) => page.getByRole('slider', { name: 'Moment' });
  const moment = async (page: Page) => Number(await slider(page).getAttribute('aria-valuenow'));
  const end = async (page: Page) => Number(await slider(page).getAttribute('aria-valuemax'));
  const picture = (page: Page) => page.getByTestId('picture').getAttribute('data-frame');

  async function middleOf(of: Locator): Promise<{ x: number; y: number }> {
    const box = await of.boundingBox();
    assert.ok(box, 'it is in the page');
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  }
  async function keep(page: Page, name: string): Promise<void> {
    if (!pictures) return;
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.screenshot({ path: join(pictures, `axis-${name}-${colorScheme}.png`) });
    }
  }

  async function open(steps: Parameters<Installation['client']['sendChat']>[0]['steps'], record: boolean) {
    const sent = await installation.client.sendChat({ prompt: 'Find a lantern of brass', steps, record });
    const page = await browser.newPage({ viewport });
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(`${installation.baseUrl}/sessions/${sent.session_id}`);
    return { page, errors, ...sent };
  }

  it('shows who drove, waited and failed, looks back while the task runs, and plays it to the end', async () => {
    const { client, shop } = installation;
    const pause = (secs: number) => ({ action: 'wait', for: { secs } }) as const;
    const { page, errors, task_id } = await open(
      [
        { action: 'navigate', url: site.url },
        { action: 'click', target: 'Late button' },
        { action: 'ask', question: 'Of which metal?' },
        { action: 'navigate', url: `${shop.url}/` },
        { action: 'wait', for: { url: 'q=brass' }, timeout_secs: 120 },
        ...[2, 2, 2, 2].map(pause),
        { action: 'click', target: 'Add Brass lantern to basket' },
      ],
      true,
    );
    await status(page, 'awaiting_user');
    await bands(page, 'failed').first().waitFor(soon);
    await bands(page, 'waiting').first().waitFor(soon);
    await client.signalTakeover({ id: task_id, answer: 'Brass' });

    await running(page, 'Wait for');
    await page.keyboard.press('Shift+W');
    await driver(page, 'you');
    await bands(page, 'you').waitFor(soon);
    await page.getByTestId('address-field').fill(`${shop.url}/?q=brass`);
    await page.keyboard.press('Enter');
    await until(async () => (await page.getByTestId('address-field').inputValue()).endsWith('?q=brass'), soon.timeout);
    await page.getByRole('button', { name: 'Hand back' }).click();
    await running(page, 'Wait 2 s');

    // Looking back does not stop the task, and what it does meanwhile is counted.
    await page.getByTestId('tick').filter({ hasText: /^1$/ }).click();
    await driver(page, 'look_back');
    await page.getByTestId('new-steps').filter({ hasText: '2' }).waitFor(soon);
    await keep(page, 'behind');
    await page.getByTestId('live').click();
    await status(page, 'success');
    await page.getByRole('tab', { name: 'Steps' }).click();

    for (const kind of ['agent', 'failed', 'waiting', 'you']) assert.ok((await bands(page, kind).count()) > 0, kind);
    assert.equal(await bands(page, 'you').locator('svg').count(), 1, 'a lock');
    await page.getByTestId('step').filter({ hasText: 'Late button' }).getByRole('button', { name: /tries/ }).click();
    await page.getByTestId('failures').getByRole('listitem').first().waitFor(soon);
    // The step that was cut off by the takeover stands before the attempt that ended it.
    assert.equal(await page.locator('[data-testid=step][data-state=interrupted]').count(), 1);

    await hoverAndDrag(page);
    await playToTheEnd(page);
    assert.deepEqual(errors, []);
    await page.close();
  });

  async function hoverAndDrag(page: Page): Promise<void> {
    const mine = await middleOf(bands(page, 'you'));
    await page.mouse.move(mine.x, mine.y);
    const peek = page.getByTestId('peek');
    await peek.getByText('Not kept').waitFor(soon);
    await peek.getByText('You drove').waitFor(soon);
    await keep(page, 'hover-private');
    const last = await middleOf(bands(page, 'agent').last());
    await page.mouse.move(last.x, last.y);
    const box = await peek.locator('img').boundingBox();
    assert.deepEqual([box && Math.round(box.width), box && Math.round(box.height)], [168, 94]);
    await keep(page, 'hover');

    // A click on a band goes there; of the time of a person there is no picture.
    await page.mouse.click(mine.x, mine.y);
    await page.getByTestId('window').getByText('Not kept').waitFor(soon);
    const before = await moment(page);
    await page.mouse.move(mine.x, mine.y);
    await page.mouse.down();
    await page.mouse.move(mine.x + 20, mine.y, { steps: 3 });
    await page.mouse.move(last.x, last.y, { steps: 5 });
    await page.mouse.up();
    await until(async () => (await moment(page)) > before, soon.timeout);
    await until(() => /[?&]at=/.test(page.url()), soon.timeout);
    await page.locator('[data-testid=step][aria-current=step]').waitFor(soon);
    await keep(page, 'replay');

    const from = await moment(page);
    // Two steps, because the moment is told in whole seconds.
    await page.keyboard.press('k');
    await page.keyboard.press('k');
    await until(async () => (await moment(page)) < from, soon.timeout);
    const [back, earlier] = [await moment(page), await picture(page)];
    await slider(page).focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await until(async () => (await moment(page)) < back && (await picture(page)) !== earlier, soon.timeout);
  }

  async function playToTheEnd(page: Page): Promise<void> {
    const speed = page.getByTestId('speed');
    await speed.click();
    await speed.click();
    assert.equal(await speed.textContent(), '4×');
    await page.getByTestId('timeline').focus();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor(soon);
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor(soon);
    assert.equal(await moment(page), await end(page));
    await driver(page, 'look_back');
    await page.keyboard.press('l');
    await driver(page, 'idle');
  }

  it('shows both attempts where the browser was lost, and one picture a step without a recording', async () => {
    const { shop, stack } = installation;
    const { page, errors } = await open(
      [
        { action: 'navigate', url: `${shop.url}/` },
        { action: 'navigate', url: `${shop.url}/?slow_ms=3000` },
        { action: 'navigate', url: `${shop.url}/basket` },
      ],
      false,
    );
    await running(page, 'slow_ms');
    await stack.kill('browser-1');
    await stack.start('browser-1');
    await page.locator('[data-testid=task-status][data-status=success]').waitFor({ timeout: 60_000 });
    await page.getByRole('tab', { name: 'Steps' }).click();
    const tries = page.getByTestId('step').filter({ hasText: 'slow_ms' });
    assert.deepEqual(await Promise.all([0, 1].map((index) => tries.nth(index).getAttribute('data-state'))), [
      'interrupted',
      'done',
    ]);
    await bands(page, 'failed').first().waitFor(soon);
    await page.getByTestId('tick').filter({ hasText: /^1$/ }).click();
    await driver(page, 'look_back');
    const first = await picture(page);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await until(async () => (await picture(page)) !== first, soon.timeout);
    await keep(page, 'two-attempts');
    assert.deepEqual(errors, []);
    await page.close();
  });

  it('has few nodes for many steps, and reads older steps and pictures when they are scrolled to', async () => {
    const page = await openLongTask(installation, browser, 120);
    assert.equal(await page.locator('[data-testid=timeline] li').first().getAttribute('aria-setsize'), '121');
    assert.ok((await countNodes(page)) < 3000);
    await page.getByTestId('timeline').focus();
    await page.keyboard.press('Home');
    const second = page.locator('[data-testid=step][data-state=done]').filter({ hasText: 'Step 2' }).first();
    await second.waitFor(soon);
    await second.locator('img').waitFor(soon);
    assert.ok((await countNodes(page)) < 3000);
    await page.close();
  });
});
