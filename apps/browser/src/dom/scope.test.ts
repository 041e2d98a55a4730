import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Target } from '@pilothouse/contract';
import { until } from '../../../../testkit/until.ts';
import { openStage, restLater, type Shown, type Stage, soon } from '../../testing/stage.ts';
import { StepFailure } from '../common/failure.ts';
import type { Purpose } from './injected/find.ts';
import { readFrameName, siteOf } from './worlds/site.ts';

/** The id of what was found, or why nothing was, with the words. */
async function find({ dom }: Shown, target: Target, purpose: Purpose, ms = 3000): Promise<string> {
  try {
    const found = await dom.find(target, purpose, soon(ms));
    return await found.call((element) => element.id, [], soon());
  } catch (error) {
    if (error instanceof StepFailure) return `${error.failure}: ${error.message}`;
    throw error;
  }
}

for (const isIsolated of [false, true]) {
  describe(`names, with frames of other sites in ${isIsolated ? 'processes of their own' : 'one process'}`, () => {
    let stage: Stage;
    before(async () => {
      stage = await openStage({ isIsolated });
    });
    after(() => stage?.close());

    it('are looked for in the page first, then in frames of its site, however well others fit', async () => {
      await using shown = await stage.show({
        main: `<label>Your password <input id=honest type=password></label> <button id=pay>Pay €20 now</button>
          <iframe src="{there}/ad"></iframe><iframe src="{here}/own"></iframe>`,
        ad: `<label>Password <input id=ghost type=password></label><button id=ghostpay>Pay</button>
          <label>Message <input id=ghostmessage></label><iframe src="{here}/inner"></iframe>`,
        own: '<button id=own>Pay</button><label>Your message <input id=message></label><iframe srcdoc="<button id=deep>Send</button>"></iframe>',
        inner: '<label>Message <input id=framed></label><button id=framedsend>Send</button>',
      });
      assert.equal(await find(shown, 'Password', 'fill'), 'honest');
      assert.equal(await find(shown, 'Pay', 'press'), 'pay');
      assert.equal(await find(shown, 'Message', 'fill'), 'message', 'not of a page of the site inside another');
      assert.equal(await find(shown, 'Send', 'press'), 'deep');
      assert.equal(await find(shown, { css: 'button' }, 'press'), 'pay');
    });

    it('wait for the page that is slow, as a part of a name does', async () => {
      await using shown = await stage.show({
        main: '<iframe src="{here}/own"></iframe>',
        own: '<button id=own>Pay</button>',
      });
      const found = find(shown, 'Pay', 'press');
      await shown.page.evaluate(`document.body.insertAdjacentHTML('beforeend', '<button id=late>Pay now</button>')`);
      assert.equal(await found, 'late');
    });

    it('in a frame of another site are meant only by a step that names the frame', async () => {
      await using shown = await stage.show({
        main: `<iframe src="{there}/card" title="Payment"></iframe><iframe sandbox="allow-scripts" srcdoc="<button id=apart>Apart</button>"></iframe>
          <iframe src="data:text/html,<button id=data>Data</button>" name="extra"></iframe>`,
        card: '<label>Holder <input id=holder></label><iframe srcdoc="<button id=keep>Keep</button>"></iframe>',
      });
      const hint = /^not_found: nothing visible on the page is called so, except .* as in frame "localhost:\d+"$/;
      assert.match(await find(shown, 'Holder', 'fill', 1500), hint);
      assert.match(await find(shown, 'Keep', 'press', 1500), hint);
      assert.match(await find(shown, 'Apart', 'press', 1500), /as in frame "Title"$/);
      assert.match(await find(shown, 'Data', 'press', 1500), /as in frame "Title"$/);
      const { port } = new URL(shown.page.url());
      for (const frame of ['localhost', `localhost:${port}`, `http://localhost:${port}`, 'payment', ' Payment ']) {
        assert.equal(await find(shown, { name: 'Holder', frame }, 'fill'), 'holder', frame);
        assert.equal(await find(shown, { css: 'button', frame }, 'press'), 'keep', frame);
      }
      assert.equal(await find(shown, { name: 'Data', frame: 'extra' }, 'press'), 'data');
      for (const frame of ['localhost:1', 'https://localhost', '127.0.0.1', 'Pay', 'pay.example.com'])
        assert.match(await find(shown, { name: 'Holder', frame }, 'fill', 1200), /^not_found: .* is a frame/, frame);
      assert.match(
        await find(shown, { name: 'Nothing', frame: 'localhost' }, 'fill', 1200),
        /^not_found: nothing visible/,
      );
    });

    it('of a frame may be a title only one frame has, and never one that reads as a host', async () => {
      await using shown = await stage.show({
        main: `<iframe src="{there}/ad" title="Payment"></iframe><iframe src="{here}/own" aria-label="Payment"></iframe>
          <iframe src="{there}/ad" title="pay.example.com"></iframe>`,
        ad: '<button id=ghost>Pay</button>',
        own: '<button id=own>Pay</button>',
      });
      const { host } = new URL(shown.page.url());
      const twice = await find(shown, { name: 'Pay', frame: 'Payment' }, 'press');
      assert.match(twice, /^ambiguous: 2 frames are called so; their hosts tell them apart: /);
      assert.ok(twice.includes(host) && twice.includes('localhost'), twice);
      assert.equal(await find(shown, { name: 'Pay', frame: host }, 'press'), 'own');
      assert.match(await find(shown, { name: 'Pay', frame: 'pay.example.com' }, 'press', 1200), /^not_found/);
      assert.match(await find(shown, { name: 'Pay', frame: 'localhost' }, 'press'), /^ambiguous: 2 visible/);
    });

    it('of a frame are believed only where a document of the page’s site gives them', async () => {
      const hidden = `<div id=host></div><script>
        document.getElementById('host').attachShadow({ mode: 'closed' }).innerHTML =
          '<iframe title="Payment" srcdoc="<button id=ghost>Pay</button>"></iframe>'</script>`;
      await using shown = await stage.show({
        main: `<iframe src="{there}/open"></iframe><iframe src="{there}/closed"></iframe>
          <iframe src="{here}/wrapper"></iframe>`,
        open: '<iframe title="Payment" srcdoc="<button id=ghost>Pay</button>"></iframe><iframe title="Offer" srcdoc="<button>Pay</button>"></iframe>',
        closed: hidden,
        wrapper: '<iframe title="Payment" src="{there}/card"></iframe>',
        card: '<button id=honest>Pay</button>',
      });
      assert.equal(await find(shown, { name: 'Pay', frame: 'Payment' }, 'press'), 'honest');
      assert.match(await find(shown, { name: 'Pay', frame: 'Offer' }, 'press', 1200), /^not_found: .* is a frame/);
      await shown.page.evaluate(() => document.querySelector('iframe[src$="wrapper"]')?.remove());
      assert.match(await find(shown, { name: 'Pay', frame: 'Payment' }, 'press', 1200), /^not_found: .* is a frame/);
    });

    it('of a frame are not left to another one by a frame that comes later', async () => {
      await using shown = await stage.show({
        main: `<iframe src="{there}/ad" title="Payment"></iframe>${restLater}<iframe srcdoc="<button id=own>Pay</button>" title="Payment"></iframe>`,
        ad: '<button id=ghost>Pay</button>',
      });
      await shown.page.goto(shown.page.url(), { waitUntil: 'commit' });
      assert.match(await find(shown, { name: 'Pay', frame: 'Payment' }, 'press'), /^ambiguous: 2 frames are called so/);
    });

    if (isIsolated)
      it('of a frame are not left to another one by a frame that does not answer', async () => {
        await using shown = await stage.show({
          main: '<iframe src="{there}/ad" title="Payment"></iframe><p>Shop</p>',
          ad: '<button id=ghost>Pay</button>',
          busy: '<button id=own>Pay</button><script>addEventListener("load", () => setTimeout(() => { for (;;); }))</script>',
        });
        assert.equal(await find(shown, { name: 'Pay', frame: 'Payment' }, 'press'), 'ghost');
        const third = shown.page.url().replace('127.0.0.1', '127.0.0.2').replace(/main$/, 'busy');
        await shown.page.evaluate((src) => {
          const frame = Object.assign(document.createElement('iframe'), { src, title: 'Payment' });
          document.body.append(frame);
        }, third);
        await until(() => shown.page.frames().length === 3, 3000);
        assert.match(
          await find(shown, { name: 'Pay', frame: 'Payment' }, 'press'),
          /^ambiguous: 2 frames are called so/,
        );
      });

    it('of fields for secrets in a frame of another site need its host', async () => {
      await using shown = await stage.show({
        main: '<iframe src="{there}/card" title="Payment"></iframe><iframe src="{here}/own" title="Login"></iframe>',
        card: `<label>Number <input id=number autocomplete=cc-number></label> <label>Password <input id=word></label>
          <label>Month <select id=month name=cc-exp-month><option>1</select></label><label>Holder <input id=holder></label>`,
        own: '<label>Your password <input id=mine type=password></label>',
      });
      const refused =
        /^unsupported: a field for secrets is in a frame of another site; .* as in frame "localhost:\d+"$/;
      for (const [name, purpose, id] of [
        ['Number', 'fill', 'number'],
        ['Password', 'fill', 'word'],
        ['Month', 'select', 'month'],
      ] as const) {
        assert.match(await find(shown, { label: name, frame: 'Payment' }, purpose), refused, name);
        assert.equal(await find(shown, { label: name, frame: 'localhost' }, purpose), id);
        const { items } = await shown.dom.outline(0, soon());
        const { ref = '' } = items.find((item) => item.name === name) ?? {};
        assert.match(await find(shown, { ref }, purpose), refused);
        assert.match(await find(shown, { ref, frame: 'Payment' }, purpose), refused);
        assert.match(await find(shown, { ref, frame: 'Login' }, purpose), /^not_found: .* not in the frame/);
        assert.equal(await find(shown, { ref, frame: 'localhost' }, purpose), id);
        assert.equal(await find(shown, { ref }, 'press'), id, 'a click gives nothing away');
      }
      assert.equal(await find(shown, { label: 'Holder', frame: 'Payment' }, 'fill'), 'holder');
      assert.equal(await find(shown, { label: 'Your password', frame: 'Login' }, 'fill'), 'mine');
      assert.equal(await find(shown, 'Your password', 'fill'), 'mine');
    });

    it('count in frames that can be seen only, all frames around taken together', async () => {
      await using shown = await stage.show({
        main: `<iframe src="{here}/own" style="opacity: 0"></iframe><div style="opacity: 0.2"><iframe src="{here}/outer"></iframe></div>
          <iframe src="{here}/tiny" style="width: 1px; height: 1px; border: 0"></iframe>`,
        own: '<button>Own</button>',
        outer:
          '<button id=outer style="opacity: 0.5">Outer</button><iframe src="{here}/inner" style="opacity: 0.2"></iframe>',
        inner: '<button>Inner</button>',
        tiny: '<button>Tiny</button>',
      });
      assert.equal(await find(shown, 'Outer', 'press'), 'outer');
      for (const name of ['Own', 'Inner', 'Tiny'])
        assert.match(await find(shown, name, 'press', 1500), /^not_found/, name);
      assert.equal(await shown.dom.sees({ text: 'Inner' }, soon()), false);
    });
  });
}

describe('the site of a document', () => {
  it('is its scheme and its registered domain, or its host', () => {
    const domains = new Map([
      ['pay.shop.co.uk', 'shop.co.uk'],
      ['127.0.0.1', ''],
    ]);
    assert.equal(siteOf('https://pay.shop.co.uk:8443', domains), 'https://shop.co.uk');
    assert.equal(siteOf('http://127.0.0.1:80', domains), 'http://127.0.0.1');
    assert.equal(siteOf('http://localhost:80', domains), 'http://localhost');
    assert.equal(siteOf('null', domains), undefined);
  });

  it('is told by the browser, which knows where domains are registered', async () => {
    const stage = await openStage({ isIsolated: true });
    try {
      await using shown = await stage.show('');
      const frames = ['https://pay.shop.co.uk/a', 'https://other.co.uk/b', 'https://bob.github.io/d'];
      await shown.page.route('**/*', (route) => {
        const { pathname } = new URL(route.request().url());
        const body = pathname === '/' ? frames.map((src) => `<iframe src="${src}"></iframe>`).join('') : '';
        return route.fulfill({
          contentType: 'text/html',
          body: body || `<button id=${pathname[1]}>${pathname}</button>`,
        });
      });
      await shown.page.goto('https://www.shop.co.uk/');
      assert.equal(await find(shown, '/a', 'press'), 'a');
      for (const name of ['/b', '/d']) assert.match(await find(shown, name, 'press', 4000), /another site/);
    } finally {
      await stage.close();
    }
  });
});

describe('the name of a frame', () => {
  it('is a host, an origin or a title', () => {
    const url = new URL('https://pay.example.com/form');
    for (const name of [
      'pay.example.com',
      'PAY.example.com',
      'pay.example.com:443',
      'https://pay.example.com',
      'https://pay.example.com/x',
    ])
      assert.ok(readFrameName(name).from?.isOf(url) && !readFrameName(name).mayBeTitle, name);
    for (const name of [
      'example.com',
      'pay.example.com:80',
      'http://pay.example.com',
      'pay.example.com@evil.example',
      'x.pay.example.com',
    ])
      assert.ok(!readFrameName(name).from?.isOf(url), name);
    for (const name of ['Payment', 'Card payment', 'a/b', '3', 'Zahlung'])
      assert.ok(readFrameName(name).mayBeTitle, name);
  });
});
