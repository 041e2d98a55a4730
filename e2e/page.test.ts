import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Browser, chromium, type Page } from 'playwright-core';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import { root } from '../testkit/stack/folders.ts';

const viewport = { width: 1440, height: 860 };
/** Wide enough for a machine that is busy with other tests. */
const soon = { timeout: 30_000 };

describe('the page', () => {
  let installation: Installation;
  let browser: Browser;
  before(async () => {
    installation = await openInstallation('page');
    // Our own page on loopback: the sandbox, which root cannot have, is not needed.
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium-headless-shell', args: ['--no-sandbox'] });
  });
  after(async () => {
    await browser.close();
    await installation.close();
  });

  const script = (url: string) => [
    `open ${url}/`,
    'type "lantern" into "Search"',
    'click "Find"',
    'wait for "Brass lantern"',
    'click "Add Brass lantern to basket"',
  ];
  const isDone = (page: Page) => page.locator('[data-testid=status][data-status=success]').waitFor(soon);
  const stepsOf = (page: Page) =>
    page
      .locator('[data-testid=steps] [data-state]')
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-state')));
  const frameOf = (page: Page) => page.getByTestId('frame').getAttribute('src');

  async function run(page: Page, lines: string[]): Promise<void> {
    await page.goto(`${installation.baseUrl}/classic`);
    await page.getByTestId('script').fill(lines.join('\n'));
    await page.getByTestId('run').click();
  }

  it('runs a script while its frames change, draws the act on the right element, and shows the end', async () => {
    const page = await browser.newPage({ viewport });
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await run(page, script(installation.shop.url).slice(0, 2));
    await isDone(page);
    // PICTURES=1 npm run e2e: renews the picture of the documents.
    if (process.env.PICTURES) await page.screenshot({ path: join(root, 'docs/pictures/page.png') });
    const drawn = await overlayOnPage(page);
    const real = await elementBox(browser, installation.shop.url, '[aria-label=Search]');
    for (const side of ['x', 'y', 'width', 'height'] as const) {
      assert.ok(Math.abs(drawn[side] - real[side]) <= 2, `${side}: drawn ${drawn[side]}, real ${real[side]}`);
    }

    const frames = new Set<string | null>();
    const watch = setInterval(
      () =>
        void frameOf(page).then(
          (frame) => frames.add(frame),
          () => {},
        ),
      50,
    );
    await page.getByTestId('script').fill(script(installation.shop.url).join('\n'));
    await page.getByTestId('run').click();
    await page.locator('[data-testid=steps] [data-state=running]').first().waitFor(soon);
    await page.getByTestId('url').filter({ hasText: '/basket' }).waitFor(soon);
    await isDone(page);
    clearInterval(watch);
    assert.ok(frames.size >= 3, `saw ${frames.size} different frames`);
    assert.deepEqual(await stepsOf(page), ['success', 'success', 'success', 'success', 'success']);
    assert.deepEqual(errors, []);
    await page.close();
  });

  it('shows the last frame, the overlays and the progress after a reload with both streams blocked', async () => {
    const page = await browser.newPage({ viewport });
    await run(page, script(installation.shop.url));
    await isDone(page);
    // With the worker that tabs share no route of the page is asked; without it they follow by themselves.
    await page.addInitScript(() => Reflect.deleteProperty(globalThis, 'SharedWorker'));
    await page.route(/\/api\/(sessions\/[^/]+\/live|tasks\/[^/]+\/(events|stream))/, (route) => route.abort());
    await page.reload();
    await isDone(page);
    // Progress and picture come from two answers, in any order.
    await page.locator('[data-testid=frame][src]').waitFor(soon);
    const src = await frameOf(page);
    assert.ok(src && src.length > 1000, 'the picture is there');
    assert.deepEqual(await stepsOf(page), ['success', 'success', 'success', 'success', 'success']);
    await page.getByTestId('overlay').locator('.box').waitFor(soon);
    assert.match((await page.getByTestId('url').textContent()) ?? '', /\/basket/);
    await page.close();
  });

  it('goes on by itself after the server was killed and came back', async () => {
    const page = await browser.newPage({ viewport });
    const slow = [
      `open ${installation.shop.url}/?slow_ms=1500`,
      `open ${installation.shop.url}/?slow_ms=1500`,
      'click "Add Oilskin coat to basket"',
    ];
    await run(page, slow);
    await page.locator('[data-testid=steps] [data-state=running]').first().waitFor(soon);
    await installation.stack.kill('server-1');
    await installation.stack.start('server-1');
    await isDone(page);
    assert.deepEqual(await stepsOf(page), ['success', 'success', 'success']);
    await page.getByTestId('url').filter({ hasText: '/basket' }).waitFor(soon);
    await page.close();
  });
});

type Box = { x: number; y: number; width: number; height: number };

/** Where the box is drawn, in the pixels of the page that the picture shows. */
async function overlayOnPage(page: Page): Promise<Box> {
  const frame = await page.getByTestId('frame').boundingBox();
  const box = await page.getByTestId('overlay').locator('.box').boundingBox();
  const natural = await page
    .getByTestId('frame')
    .evaluate((image) => ({ width: (image as HTMLImageElement).naturalWidth }));
  assert.ok(frame && box);
  const scale = natural.width / frame.width;
  return {
    x: (box.x - frame.x) * scale,
    y: (box.y - frame.y) * scale,
    width: box.width * scale,
    height: box.height * scale,
  };
}

/** Where the element really is, in a browser of the same size that nobody drives. */
async function elementBox(browser: Browser, url: string, selector: string): Promise<Box> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  await page.goto(url);
  const box = await page.locator(selector).boundingBox();
  await page.close();
  assert.ok(box);
  return box;
}
