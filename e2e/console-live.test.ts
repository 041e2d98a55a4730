import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../testkit/console/console-page.ts';
import { type Installation, openInstallation } from '../testkit/installation.ts';

const viewport = { width: 1440, height: 900 };
/** Wide enough for a machine that is busy with other tests. */
const soon = { timeout: 30_000 };

describe('what the console shows while it happens', () => {
  let installation: Installation;
  let browser: Browser;
  before(async () => {
    installation = await openInstallation('console-live');
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await installation?.close();
  });

  const isDone = (page: Page) => page.locator('[data-testid=task-status][data-status=success]').waitFor(soon);
  const doneSteps = (page: Page) => page.locator('[data-testid=step][data-state=done]').count();
  const address = (page: Page, text: string) => page.getByTestId('address').filter({ hasText: text }).waitFor(soon);

  async function run(lines: string[]) {
    const page = await browser.newPage({ viewport });
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol.startsWith('http') && origin !== installation.baseUrl) faults.push(`asked ${request.url()}`);
    });
    await page.goto(`${installation.baseUrl}/`);
    await page.getByLabel('Script, one instruction a line').fill(lines.join('\n'));
    await page.getByRole('button', { name: /^Run/ }).click();
    await page.waitForURL(/\/sessions\/[0-9a-f-]+\?task=/, soon);
    return { page, faults };
  }

  it('frames change while a script runs, the act is drawn on the right element, and nothing else is asked', async () => {
    const { shop } = installation;
    const { page, faults } = await run([
      `open ${shop.url}/`,
      'type "lantern" into "Search"',
      'wait for "Brass lantern"',
      'click "Find"',
      'click "Add Brass lantern to basket"',
      `open ${shop.url}/`,
      'type "compass" into "Search"',
    ]);
    const frames = new Set<string | null>();
    const note = (frame: string | null) => frames.add(frame);
    const watch = setInterval(
      () =>
        void page
          .getByTestId('picture')
          .getAttribute('data-frame', { timeout: 1000 })
          .then(note, () => {}),
      50,
    );
    try {
      await isDone(page);
    } finally {
      clearInterval(watch);
    }
    assert.ok(frames.size >= 3, `saw ${frames.size} different frames`);
    const drawn = await markOnPage(page);
    const real = await elementBox(browser, shop.url, '[aria-label=Search]');
    for (const side of ['x', 'y', 'width', 'height'] as const)
      assert.ok(Math.abs(drawn[side] - real[side]) <= 3, `${side}: drawn ${drawn[side]}, real ${real[side]}`);
    assert.deepEqual(faults, []);
    await page.close();
  });

  it('goes on by itself after the server was killed and came back', async () => {
    const { shop, stack } = installation;
    const slow = `open ${shop.url}/?slow_ms=1500`;
    const { page, faults } = await run([slow, slow, 'click "Add Oilskin coat to basket"']);
    await page.locator('[data-testid=step][data-state=running]').first().waitFor(soon);
    await stack.kill('server-1');
    await stack.start('server-1');
    await isDone(page);
    await page.getByRole('tab', { name: 'Steps' }).click();
    await page.locator('[data-testid=step][data-state=done]').nth(2).waitFor(soon);
    assert.equal(await doneSteps(page), 3);
    await address(page, '/basket');
    assert.deepEqual(faults, []);
    await page.close();
  });

  it('has a button for each answer that a question takes, and sends the one that is pressed', async () => {
    const at = '2026-01-02T03:04:05.678Z';
    const id = '01890000-0000-7000-8000-000000000002';
    const options = ['done', 'repeat', 'stop'];
    const item = {
      ...{ task_id: id, session_id: id, title: 'Order', waiting_since: at, takeover: null },
      question: { text: 'Was it done?', step_id: 'step-2', asked_at: at, expires_at: null, until: null, options },
    };
    const page = await browser.newPage({ viewport });
    const sent: unknown[] = [];
    await page.route('**/api/inbox?*', (call) =>
      call.fulfill({ json: { success: true, items: [item], next_cursor: null } }),
    );
    await page.route('**/user_takeover', (call) => {
      sent.push(call.request().postDataJSON());
      return call.fulfill({ json: { success: true, status: {}, takeover: null } });
    });
    await page.goto(`${installation.baseUrl}/inbox/${id}`);
    await page.getByRole('heading', { name: 'Was it done?' }).waitFor(soon);
    for (const name of ['It was done, go on', 'Stop here']) await page.getByRole('button', { name }).waitFor(soon);
    const answered = page.waitForResponse('**/user_takeover');
    await page.getByRole('button', { name: 'Do it again' }).click();
    await answered;
    assert.deepEqual(sent, [{ answer: 'repeat', asked_at: at }]);
    await page.close();
  });

  it('sends the token of a share to the routes of its session only, and in no address', async () => {
    const { client, shop, baseUrl } = installation;
    const { page } = await run([`open ${shop.url}/`]);
    await isDone(page);
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    await page.close();
    const { share } = await client.shareSession({ id });
    const token = new URLSearchParams(share.share_path.split('#')[1]).get('share') ?? '';
    assert.ok(token.length > 20);
    const asked: { url: string; token: string | undefined }[] = [];
    const guest = await browser.newPage({ viewport });
    guest.on('request', (request) => {
      asked.push({ url: request.url().split('#')[0] ?? '', token: request.headers()['x-share-token'] });
    });
    await guest.goto(new URL(share.share_path, baseUrl).href);
    await guest.locator('[data-testid=picture][data-frame]').waitFor(soon);
    const told = asked.filter((one) => one.token !== undefined);
    assert.ok(told.length >= 2, 'the snapshot and the stream');
    assert.ok(told.every((one) => one.token === token && one.url.includes(`/api/sessions/${id}`)));
    assert.ok(asked.every(({ url }) => !url.includes(token) && !url.includes('/api/tasks/')));
    await guest.close();
  });
});

type Box = { x: number; y: number; width: number; height: number };

/** Where the box is drawn, in the CSS pixels of the page that the picture shows. */
async function markOnPage(page: Page): Promise<Box> {
  const picture = await page.getByTestId('picture').boundingBox();
  const box = await page.getByTestId('mark-box').boundingBox();
  assert.ok(picture && box);
  const scale = 1280 / picture.width;
  return {
    x: (box.x - picture.x) * scale,
    y: (box.y - picture.y) * scale,
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
