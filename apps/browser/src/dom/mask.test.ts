import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { CDPSession } from 'playwright-core';
import { until } from '../../../../testkit/until.ts';
import { openStage, type Shown, type Stage, soon } from '../../testing/stage.ts';
import { installMask } from './mask.ts';

const numbers = ['4111111111111111', '5555555555554444'] as const;

/** A picture of the whole viewport, as viewers get it. */
async function pictureOf({ cdp }: Shown): Promise<string> {
  return (await cdp.send('Page.captureScreenshot', { format: 'png' })).data;
}

/** Two pictures in a row that are the same: a frame is drawn later than it is loaded. */
async function settledPictureOf(shown: Shown): Promise<string> {
  let before = await pictureOf(shown);
  await until(async () => {
    await Promise.all(shown.page.frames().map((frame) => frame.evaluate(painted)));
    const now = await pictureOf(shown);
    const isSame = now === before;
    before = now;
    return isSame;
  }, 5000);
  return before;
}
const painted = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(true))))';

for (const isIsolated of [false, true]) {
  describe(`pictures, frames in ${isIsolated ? 'their own processes' : 'one process'}`, () => {
    let stage: Stage;
    before(async () => {
      stage = await openStage({ isIsolated });
    });
    after(() => stage?.close());

    /** Whether pictures of two pages that differ only in what a field holds are the same. */
    async function looksSame(pages: (value: string) => Record<string, string>, isReady: string): Promise<boolean> {
      const pictures: string[] = [];
      for (const value of numbers) {
        await using shown = await stage.show(pages(value));
        await until(
          async () => (await Promise.all(shown.page.frames().map((frame) => frame.evaluate(isReady)))).includes(true),
          5000,
        );
        pictures.push(await settledPictureOf(shown));
      }
      return pictures[0] === pictures[1];
    }

    const field = (attributes: string) => (value: string) => ({ main: `<input ${attributes} value="${value}">` });
    const shade = (value: string) =>
      `<x-a></x-a><script>document.querySelector('x-a').attachShadow({ mode: 'open' }).innerHTML = '<input name=cardnumber value=${value}>'</script>`;
    const always = 'true';

    const rows: [name: string, isSame: boolean, pages: (value: string) => Record<string, string>, isReady: string][] = [
      ['show a plain field', false, (value) => field('name=order')(`9${value}1`), always],
      ['hide a password', true, field('type=password'), always],
      ['hide the number of a card', true, field('autocomplete=cc-number'), always],
      ['hide a field named so', true, field('name=card_number'), always],
      [
        'hide what only a label tells',
        true,
        (value) => ({ main: `<label>Card number <input value="${value.slice(1)}"></label>` }),
        always,
      ],
      ['hide what only the number tells', true, field('name=anything'), always],
      [
        'hide a number that a script puts into a card field later',
        true,
        (value) => ({
          main: `<input id=pay autocomplete=cc-number><script>setTimeout(() => { pay.value = '${value}' }, 100)</script>`,
        }),
        'document.querySelector("input").value.length === 16',
      ],
      [
        'hide a card field that a script makes later',
        true,
        (value) => ({
          main: `<p><script>setTimeout(() => { document.body.innerHTML = '<input aria-label="Card number" value="${value.slice(1)}">' }, 100)</script>`,
        }),
        'document.querySelector("input") !== null',
      ],
      [
        'hide a password that the page shows in clear',
        true,
        (value) => ({
          main: `<input id=key type=password value="9${value}1"><script>setTimeout(() => { key.type = 'text' }, 100)</script>`,
        }),
        'document.querySelector("input").type === "text"',
      ],
      [
        'hide a card field though the page sets its own sheets and takes ours away',
        true,
        (value) => ({
          main: `<input name=cvc value="${value.slice(1)}"><script>setTimeout(() => { document.adoptedStyleSheets = []; setTimeout(() => { window.done = true }, 600) }, 50)</script>`,
        }),
        'window.done === true',
      ],
      [
        'hide a card field on a page that allows no styles but its own',
        true,
        (value) => ({
          main: `<meta http-equiv=content-security-policy content="default-src 'none'"><input name=cvc value="${value.slice(1)}"><label>Card number <input value="${value.slice(2)}"></label>`,
        }),
        always,
      ],
      ['hide a card field in a shadow root', true, (value) => ({ main: shade(value) }), always],
      [
        'hide a card field in a frame of another site',
        true,
        (value) => ({
          main: '<iframe src="{there}/frame"></iframe>',
          frame: `<body style="background: #eee"><input autocomplete=cc-number value="${value}">`,
        }),
        'document.querySelector("input") !== null',
      ],
    ];
    for (const [name, isSame, pages, isReady] of rows) {
      it(name, async () => {
        assert.equal(await looksSame(pages, isReady), isSame);
      });
    }
  });
}

describe('the mask', () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage?.close());

  it('leaves fields to be used as ever, and shows the page no script of ours', async () => {
    await using shown = await stage.show('<label>Card number <input></label>');
    const found = await shown.dom.find('Card number', 'fill', soon());
    const { point } = await found.ready({ isTouch: true }, soon());
    await shown.page.mouse.click(point.x, point.y);
    await shown.page.keyboard.type('4111 1111');
    assert.equal(await shown.page.evaluate('document.querySelector("input").value'), '4111 1111');
    const names = await shown.page.evaluate(
      '[...Object.getOwnPropertyNames(window)].filter((name) => /pilot|eyes|isMasked/i.test(name))',
    );
    assert.deepEqual(names, []);
  });
});

describe('the mask of a frame in a process of its own', () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage({ isIsolated: true });
  });
  after(() => stage?.close());

  it('is tried again where the frame refused it, and the page is said to be without it until then', async () => {
    await using shown = await stage.show({
      main: '<iframe src="{there}/frame"></iframe>',
      frame: '<input name=cardnumber value=4111111111111111>',
    });
    const context = await shown.page.context().browser()?.newContext();
    assert.ok(context);
    const page = await context.newPage();
    const open = context.newCDPSession.bind(context);
    const told: string[] = [];
    let refusals = 0;
    let isRefused = true;
    context.newCDPSession = async (of) => {
      const session = await open(of);
      const send = session.send.bind(session) as (method: string, params?: object) => Promise<unknown>;
      const refuse = async (method: string, params?: object) => {
        if (!isRefused || !JSON.stringify(params ?? '').includes('worldName')) return send(method, params);
        if (method !== 'Target.sendMessageToTarget') return send(method, params);
        refusals += 1;
        // As the frame itself answers what it does not know.
        return send(method, JSON.parse(JSON.stringify(params).replace('addScriptToEvaluateOnNewDocument', 'noSuch')));
      };
      // The types of the library name every command; this passes on whichever it is.
      session.send = refuse as CDPSession['send'];
      return session;
    };
    const mask = await installMask(page, {
      onNews: () => undefined,
      onGone: () => undefined,
      onDocument: () => told.push('document'),
      onUnmasked: () => told.push('unmasked'),
      onMasked: () => told.push('masked'),
    });
    await page.goto(shown.page.url());
    await until(() => refusals > 1, 5000);
    assert.deepEqual([...new Set(told)], ['document', 'unmasked']);
    isRefused = false;
    await until(() => told.at(-1) === 'masked', 5000);
    mask.close();
    await context.close();
  });
});

describe('what fields tell', () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage?.close());

  it('is heard from our script alone, not from a binding of the same name that a program gave the page', async () => {
    await using shown = await stage.show('<input type=password aria-label=Secret>');
    const { page, cdp } = shown;
    const copied: string[] = [];
    const news: string[] = [];
    const mask = await installMask(page, {
      onNews: ({ type }) => news.push(type),
      onGone: () => undefined,
      onDocument: () => undefined,
      onUnmasked: () => undefined,
      onMasked: () => undefined,
      onCopied: (text) => copied.push(text),
    });
    await cdp.send('Runtime.enable');
    await cdp.send('Runtime.addBinding', { name: 'tellPilothouse' });
    const heard = Promise.withResolvers<void>();
    cdp.on('Runtime.bindingCalled', ({ payload }) => payload === 'last' && heard.resolve());
    await page.evaluate(`for (const said of ['{"type":"copied","text":"evil"}', '{"type":"focus","by":"touch"}', 'last'])
      globalThis.tellPilothouse(said)`);
    await heard.promise;
    await page.focus('input');
    await until(() => news.includes('focus'), 5000);
    assert.deepEqual(copied, []);
    assert.equal(news.filter((type) => type === 'focus').length, 1, 'of what the page said, nothing');
    mask.close();
  });
});
