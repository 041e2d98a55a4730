import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Browser, BrowserContext, Dialog, Page } from 'playwright-core';
import { until } from '../../../../../testkit/until.ts';
import { connectThroughDoor, contextIdOf, openRawDoor } from '../../../testing/doors.ts';
import { type SharedChromium, startSharedChromium } from '../../../testing/guests.ts';
import { type Site, startSite } from '../../../testing/site.ts';
import { soon } from '../../../testing/stage.ts';
import { handledLater } from '../../common/best-effort.ts';
import { closePage } from '../../pages/close-page.ts';
import type { DoorOptions } from './door.ts';

const person = { epoch: 2, by: 'person' } as const;
const inWords = /a person drives this session \(epoch 2\)/;

/** Notes in the page what happens to it, without the help of any driver. */
const watching = `(() => {
  const log = [];
  window.log = log;
  for (const type of ['mousedown', 'mouseup', 'keydown', 'keyup', 'input', 'click'])
    addEventListener(type, (event) => log.push(type), true);
})()`;

describe('a guest whose session another drives for a time', () => {
  let chromium: SharedChromium;
  let site: Site;
  let context: BrowserContext;
  let own: Page;
  let contextId: string;
  before(async () => {
    [chromium, site] = await Promise.all([startSharedChromium(34_500), startSite()]);
    context = await chromium.browser.newContext({ viewport: { width: 900, height: 600 } });
    own = await context.newPage();
    contextId = await contextIdOf(context);
  });
  beforeEach(() => own.goto(`${site.url}/form`));
  after(async () => {
    await chromium?.end();
    await site?.close();
  });

  /** Playwright through a door, with the page of the session. */
  async function connect(whileDriven: 'fail' | 'wait', more: Pick<DoorOptions, 'answerDialog'> = {}) {
    const { browser, door, close } = await connectThroughDoor(chromium, contextId, { whileDriven, ...more });
    const [page] = browser.contexts()[0]?.pages() ?? [];
    assert.ok(page);
    page.setDefaultTimeout(8000);
    return {
      browser,
      page,
      door,
      close,
      take: () => door.fence(person, soon(2000)),
      give: () => door.release(3, soon(2000)),
    };
  }

  function pageAt(browser: Browser, path: string): Page {
    const page = browser
      .contexts()[0]
      ?.pages()
      .find((one) => one.url().endsWith(path));
    assert.ok(page, path);
    return page;
  }

  /** As where a page breaks something of Chromium. */
  async function crash(page: Page): Promise<void> {
    const crashed = page.waitForEvent('crash');
    page.goto('chrome://crash').catch(() => undefined);
    await crashed;
  }

  it('loses a page that has crashed, and keeps nobody from taking over', async () => {
    const crashing = await context.newPage();
    await crashing.goto(`${site.url}/welcome`);
    const { browser, take, give, close } = await connect('fail');
    const page = pageAt(browser, '/welcome');
    const endless = page.evaluate(() => new Promise(() => {}));
    const waits = assert.rejects(endless, /crashed|closed/i);
    await crash(crashing);
    await waits;
    await take();
    await give();
    await assert.rejects(page.evaluate('1'), /crashed|closed/i);
    const later = await connect('fail');
    await later.take();
    await later.close();
    await crashing.close();
    assert.equal(await pageAt(browser, '/form').getByRole('button', { name: 'Count' }).count(), 1);
    await close();
  });

  it('hears after the hand-back of a page that crashed while the other drove', async () => {
    const crashing = await context.newPage();
    await crashing.goto(`${site.url}/welcome`);
    const { browser, take, give, close } = await connect('fail');
    const page = pageAt(browser, '/welcome');
    const endless = page.evaluate(() => new Promise<string>(() => {})).catch(String);
    await take();
    await crash(crashing);
    assert.match(await endless, inWords);
    await give();
    await assert.rejects(page.evaluate('1'), /crashed|closed/i);
    await crashing.close();
    await close();
  });

  it('is refused in words, and goes on with the page that the other has left', async () => {
    const { browser, page, take, give, close } = await connect('fail');
    await page.getByRole('button', { name: 'Count' }).click();
    await take();
    const refused = [
      () => page.locator('button').count(),
      () => page.getByRole('button', { name: 'Count' }).click(),
      () => page.goto(`${site.url}/welcome`),
      () => page.screenshot(),
      () => page.keyboard.press('a'),
      () => page.context().cookies(),
    ];
    for (const act of refused) {
      const before = performance.now();
      await assert.rejects(act(), inWords, String(act));
      assert.ok(performance.now() - before < 1000, `${act} took long`);
    }
    // Playwright takes every failure of this for an empty title, so it has no answer yet.
    const title = page.title();
    await own.goto(`${site.url}/welcome`);
    const second = await context.newPage();
    await second.goto(`${site.url}/form`);
    await give();
    await until(() => page.url() === `${site.url}/welcome`, 5000);
    assert.equal(await title, await own.title());
    assert.equal(await page.title(), await own.title());
    await until(() => browser.contexts()[0]?.pages().length === 2, 5000);
    const pages = browser.contexts()[0]?.pages() ?? [];
    assert.deepEqual(pages.map((one) => new URL(one.url()).pathname).toSorted(), ['/form', '/welcome']);
    const other = pages.find((one) => one.url().endsWith('/form'));
    await other?.getByLabel('Name').fill('Anna');
    assert.equal(await second.getByLabel('Name').inputValue(), 'Anna');
    await closePage(second);
    await page.goto(`${site.url}/form`);
    await page.getByRole('button', { name: 'Count' }).click();
    assert.equal(await page.title(), 'Clicked 1');
    await close();
  });

  it('waits as for a page that loads, where it asked to, and then does what it was about to', async () => {
    const { page, take, give, close } = await connect('wait');
    assert.equal(await page.locator('button').count(), await own.locator('button').count());
    await take();
    const click = page.getByRole('button', { name: 'Count' }).click();
    handledLater(click);
    assert.equal(await own.title(), 'Form', 'nothing is clicked meanwhile');
    await own.goto(`${site.url}/welcome`);
    await own.goto(`${site.url}/form`);
    await give();
    await click;
    assert.equal(await own.title(), 'Clicked 1');
    await close();
  });

  it('holds nothing down, and what it had under way is over', async () => {
    for (const whileDriven of ['fail', 'wait'] as const) {
      await own.goto(`${site.url}/form`);
      const { page, take, give, close } = await connect(whileDriven);
      await own.evaluate(watching);
      await page.mouse.move(5, 5);
      await page.mouse.down();
      await page.keyboard.down('Shift');
      const clicks = Array.from({ length: 20 }, () => page.getByRole('button', { name: 'Count' }).click());
      for (const click of clicks) handledLater(click);
      await take();
      const log = await own.evaluate<string[]>('[...window.log]');
      const count = (type: string) => log.filter((one) => one === type).length;
      assert.equal(count('mousedown'), count('mouseup'));
      assert.equal(count('keydown'), count('keyup'));
      // Input of the host follows any input of the guest that was still on its way to the page.
      for (let moves = 1; moves <= 5; moves++) await own.mouse.move(moves, moves);
      assert.deepEqual(await own.evaluate<string[]>('[...window.log]'), log, 'nothing more comes');
      await give();
      await Promise.allSettled(clicks);
      await close();
    }
  });

  it('gets no wrong answer, however often it asks while drivers change and the page is loaded again', async () => {
    const { page, take, give, close } = await connect('fail');
    const buttons = await own.locator('button').count();
    const wrong: unknown[] = [];
    let isOver = false;
    const repeat = async (read: () => Promise<unknown>, expected: unknown) => {
      while (!isOver) {
        const found = await read().catch((error: unknown) => (inWords.test(String(error)) ? expected : error));
        if (found !== expected) wrong.push(found);
      }
    };
    const reading = [repeat(() => page.locator('button').count(), buttons), repeat(() => page.title(), 'Form')];
    for (let round = 0; round < 12; round += 1) {
      await take();
      if (round % 3 === 2) await own.goto(`${site.url}/form`);
      await give();
      const known = await page.locator('button').count();
      assert.equal(known, buttons, `round ${round}`);
    }
    isOver = true;
    await Promise.all(reading);
    assert.deepEqual(wrong, []);
    await close();
  });

  it('does not hold up the requests of the other, and holds them up again afterwards', async () => {
    const { page, take, give, close } = await connect('fail');
    let routed = 0;
    await page.route('**/*', async (route) => {
      routed += 1;
      await route.continue();
    });
    await page.goto(`${site.url}/welcome`);
    const before = routed;
    assert.ok(before > 0);
    await take();
    await own.goto(`${site.url}/form`, { timeout: 5000 });
    assert.equal(routed, before);
    await give();
    await page.goto(`${site.url}/welcome`);
    assert.ok(routed > before);
    await close();
  });

  it('leaves the other neither its network nor its names, and has them again afterwards', async () => {
    const door = await openRawDoor(chromium, contextId);
    const { targetInfos } = await door.must('Target.getTargets');
    const [target] = (targetInfos as { targetId: string; url: string }[]).filter(({ url }) => url.endsWith('/form'));
    const { sessionId } = await door.must('Target.attachToTarget', { targetId: target?.targetId, flatten: true });
    const offline = { offline: true, latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
    const usual = await own.evaluate('navigator.userAgent');
    for (const [method, params] of [
      ['Network.enable', {}],
      ['Network.emulateNetworkConditionsByRule', { matchedNetworkConditions: [{ urlPattern: '', ...offline }] }],
      ['Network.overrideNetworkState', offline],
      ['Emulation.setUserAgentOverride', { userAgent: 'a program' }],
    ] as const)
      await door.must(method, params, String(sessionId));
    const state = () => own.evaluate('[navigator.onLine, navigator.userAgent]');
    assert.deepEqual(await state(), [false, 'a program']);
    await door.fence(person, soon(2000));
    await own.goto(`${site.url}/form`, { timeout: 5000 });
    assert.deepEqual(await state(), [true, usual]);
    await door.release(3, soon(2000));
    await until(async () => JSON.stringify(await state()) === '[false,"a program"]', 5000);
    assert.equal(await own.evaluate(`fetch('/welcome').then(() => 'there', () => 'cut off')`), 'cut off');
    await door.close();
  });

  it('ends a script that never ends, so that the other can drive', async () => {
    const { page, take, give, close } = await connect('fail');
    const endless = page.evaluate('for (;;);');
    handledLater(endless);
    const polled = page.waitForFunction('window.never', undefined, { timeout: 8000 });
    handledLater(polled);
    await take();
    assert.equal(await own.evaluate('1'), 1);
    await assert.rejects(endless);
    await assert.rejects(polled);
    await give();
    assert.equal(await page.evaluate('2'), 2);
    await close();
  });

  it('is stopped for sure by the next try, where the first had too little time', async () => {
    const door = await openRawDoor(chromium, contextId);
    await own.evaluate(watching);
    const { targetInfos } = await door.must('Target.getTargets');
    const [target] = (targetInfos as { targetId: string; url: string }[]).filter(({ url }) => url.endsWith('/form'));
    const { sessionId } = await door.must('Target.attachToTarget', { targetId: target?.targetId, flatten: true });
    const press = { type: 'mousePressed', x: 5, y: 5, button: 'left', clickCount: 1 };
    await door.must('Input.dispatchMouseEvent', press, String(sessionId));
    const endless = door.ask('Runtime.evaluate', { expression: 'for (;;);' }, String(sessionId));
    await assert.rejects(door.fence(person, soon(1)), /does not end/);
    await door.fence(person, soon(2000));
    assert.match(JSON.stringify(await endless), inWords);
    const log = await own.evaluate<string[]>('[...window.log]');
    assert.deepEqual(log.slice(0, 2), ['mousedown', 'mouseup']);
    await door.release(3, soon(2000));
    await door.close();
  });

  it('runs no script in a page that is busy once the other drives, also where the script waits for a promise', async () => {
    const door = await openRawDoor(chromium, contextId);
    const { targetInfos } = await door.must('Target.getTargets');
    const [target] = (targetInfos as { targetId: string; url: string }[]).filter(({ url }) => url.endsWith('/form'));
    const { sessionId } = await door.must('Target.attachToTarget', { targetId: target?.targetId, flatten: true });
    await own.evaluate('setTimeout(() => { const end = Date.now() + 800; while (Date.now() < end); }, 0) && 0');
    const late = door.ask(
      'Runtime.evaluate',
      { expression: 'window.ranAt = Date.now()', awaitPromise: true },
      String(sessionId),
    );
    await door.fence(person, soon(2000));
    const at = Date.now();
    const ranAt = await own.evaluate<number | null>('window.ranAt ?? null');
    assert.ok(ranAt === null || ranAt <= at, `it ran ${Number(ranAt) - at} ms after the acknowledgement`);
    await late;
    await door.release(3, soon(2000));
    await door.close();
  });

  it('hears nothing meanwhile, also where it connects meanwhile, and no page waits for it', async () => {
    const door = await openRawDoor(chromium, contextId, { driven: person });
    await door.must('Target.setDiscoverTargets', { discover: true });
    await door.must('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true });
    const opened = await context.newPage();
    await opened.goto(`${site.url}/welcome?secret`, { timeout: 5000 });
    await closePage(opened);
    // Its end is told to all clients in the order in which this answer comes.
    const browserSession = await chromium.browser.newBrowserCDPSession();
    const isGone = async () => !JSON.stringify(await browserSession.send('Target.getTargets')).includes('secret');
    await until(isGone, 5000);
    await browserSession.detach();
    assert.deepEqual(door.events, []);
    const { error } = await door.ask('Target.createTarget', { url: 'about:blank' });
    assert.match(error?.message ?? '', inWords);
    await door.release(3, soon(2000));
    const heard = door.events.map(({ method }) => method);
    assert.deepEqual(heard, ['Target.attachedToTarget', 'Target.targetCreated', 'Pilothouse.wheelReturned']);
    assert.ok(!JSON.stringify(door.events).includes('secret'));
    await door.close();
  });

  it('is told of dialogs that are still open', async () => {
    let shown: Dialog | undefined;
    // Chromium takes the answer of one client only, and that is the host.
    const answerDialog: DoorOptions['answerDialog'] = async ({ params }) => {
      await (params.accept === true ? shown?.accept() : shown?.dismiss());
      return 'done';
    };
    const { page, take, give, close } = await connect('fail', { answerDialog });
    const dialogs: string[] = [];
    page.on('dialog', async (dialog) => {
      dialogs.push(dialog.message());
      await dialog.accept();
    });
    await take();
    own.on('dialog', (dialog) => {
      shown = dialog;
    });
    await own.evaluate('setTimeout(() => alert("Still there?"), 0)');
    await give();
    await until(() => dialogs.length === 1, 5000);
    own.removeAllListeners('dialog');
    assert.equal(await page.evaluate('1'), 1);
    await close();
  });
});
