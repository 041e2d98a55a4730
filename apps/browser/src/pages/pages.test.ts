import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Browser, chromium, type Page } from 'playwright-core';
import { until } from '../../../../testkit/until.ts';
import { handledLater } from '../common/best-effort.ts';
import { startDeadline } from '../common/deadline.ts';
import { createMouseButton } from '../driver/mouse-button.ts';
import { closePage } from './close-page.ts';
import { followPages } from './pages.ts';
import { createPopups } from './popups.ts';
import { createSiteChanges } from './site-changes.ts';

describe('the pages of a session', () => {
  let browser: Browser;
  before(async () => {
    const executablePath = '/usr/lib/chromium/chromium-headless-shell';
    // Chromium refuses it as root, and the pages here are our own.
    browser = await chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 });
  });
  after(() => browser?.close());

  async function open(maxPages: number) {
    const context = await browser.newContext();
    const first = await context.newPage();
    const refused: string[] = [];
    let bursts = 0;
    let loads = 0;
    const pages = followPages({
      context,
      first,
      maxPages,
      popups: createPopups(async () => []),
      sites: createSiteChanges(),
      onBehind: () => undefined,
      onPage: () => undefined,
      onCrash: () => undefined,
      onRefused: ({ message }) => refused.push(message),
      onBurst: () => {
        bursts += 1;
      },
      onLoad: () => {
        loads += 1;
      },
    });
    return { context, first, pages, refused, bursts: () => bursts, loads: () => loads };
  }
  const address = (title: string) => `data:text/html,<title>${title}</title><button>x</button>`;
  async function crash(page: Page): Promise<void> {
    const crashed = page.waitForEvent('crash');
    page.goto('chrome://crash').catch(() => undefined);
    await crashed;
  }

  it('close while their document is replaced, where Chromium forgets that it was asked', async () => {
    const { context } = await open(20);
    for (let round = 0; round < 8; round += 1) {
      const page = await context.newPage();
      const cdp = await context.newCDPSession(page);
      handledLater(cdp.send('Page.reload'));
      await closePage(page, startDeadline(10_000, new AbortController().signal));
      assert.ok(page.isClosed());
    }
    await context.close();
  });

  it('tell of each document they show, and not of what is in their frames', async () => {
    const { first, loads } = await open(2);
    await first.goto(address('One'));
    assert.equal(loads(), 1);
    await first.setContent('<iframe srcdoc="<p>inside</p>"></iframe>');
    const before = loads();
    await first.frameLocator('iframe').getByText('inside').waitFor();
    assert.equal(loads(), before);
    await first.goto(address('Two'));
    assert.equal(loads(), before + 1);
  });

  it('that come several at once are told of before there are too many', async () => {
    const { first, pages, bursts, refused } = await open(20);
    await first.goto(address('One'));
    await first.evaluate(`open('about:blank'); open('about:blank')`);
    await until(() => pages.all().length === 3, 5000);
    assert.equal(bursts(), 0, 'two are nothing');
    await first.evaluate(`for (let i = 0; i < 6; i++) open('about:blank')`);
    await until(() => bursts() > 0, 5000);
    assert.deepEqual(refused, []);
  });

  it('are repaired also when there are as many as there may be, and once for all who ask', async () => {
    const { context, first, pages, refused } = await open(2);
    await first.goto(address('One'));
    const second = await pages.open();
    await second.goto(address('Two'));
    await crash(second);
    const soon = startDeadline(8000, new AbortController().signal);
    await Promise.all([pages.repair(soon), pages.repair(soon)]);
    await until(() => context.pages().length === 2, 5000);
    assert.ok(pages.all().every((page) => !pages.isCrashed(page)));
    assert.deepEqual(refused, []);
    assert.equal(pages.current(), context.pages()[1]);
    await assert.rejects(pages.open(), /no more pages/);
    await context.close();
  });

  it('are all let go of, also beside one that closed or crashed with the button down', {
    timeout: 20_000,
  }, async () => {
    const { context, first, pages } = await open(5);
    const [closing, crashing] = [await pages.open(), await pages.open()];
    const mouseButton = createMouseButton(pages.isCrashed);
    await first.evaluate('addEventListener("mouseup", () => { document.title = 1 })');
    for (const page of [closing, crashing, first]) await mouseButton.down(page);
    await Promise.all([closing.close(), crash(crashing)]);
    await mouseButton.release();
    assert.equal(await first.title(), '1');
    await context.close();
  });
});
