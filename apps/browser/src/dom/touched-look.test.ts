import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openStage, type Stage, soon } from '../../testing/stage.ts';

const busyMs = 3000;
const inner = `<!doctype html><input aria-label=Inner><button style="position:absolute;left:0;top:60px">Pay</button>
<script>onmessage = () => { const end = Date.now() + ${busyMs}; while (Date.now() < end); };</script>`;
const outer = `<!doctype html><body style="margin:0;height:2000px"><input aria-label=Outer>
<button style="position:absolute;left:100px;top:100px;width:80px;height:40px">Alpha</button>
<button style="position:absolute;left:300px;top:300px;width:80px;height:40px">Beta</button>
<iframe src="{there}/inner" style="position:absolute;left:350px;top:100px;width:200px;height:120px;border:0"></iframe>`;

describe('what a press or a key would touch', () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage({ isIsolated: true });
  });
  after(() => stage?.close());

  it('is what has the focus, in whatever frame it is', async () => {
    await using shown = await stage.show({ '': outer, inner });
    const { page, dom } = shown;
    const focused = async () => (await dom.lookAtFocus(soon()))?.look.identity.name;
    assert.equal(await focused(), undefined);
    await page.focus('input');
    assert.equal(await focused(), 'Outer');
    await page.frameLocator('iframe').locator('input').focus();
    assert.equal(await focused(), 'Inner');
  });

  it('is not known where the frame with the focus does not answer', async () => {
    await using shown = await stage.show({ '': outer, inner });
    const { page, dom } = shown;
    await page.frameLocator('iframe').locator('input').focus();
    await page.evaluate('frames[0].postMessage("", "*")');
    await assert.rejects(dom.lookAtFocus(soon(2500)));
  });

  it('is not known where the frame with the focus is one of too many', async () => {
    const many = Array.from({ length: 61 }, () => '<iframe srcdoc="<input>" style="width:20px;height:20px"></iframe>');
    await using shown = await stage.show(many.join(''));
    const { page, dom } = shown;
    const last = page.frames().at(-1) ?? assert.fail('no frame');
    await last.focus('input');
    await assert.rejects(dom.lookAtFocus(soon()), /the frame that has the focus/);
  });

  it('is in the frame that lies on top, also where another one stands before it in the page', async () => {
    const lying = 'position:absolute;left:100px;top:50px;width:200px;height:120px;border:0';
    const button = '<body style="margin:0"><button style="position:absolute;inset:0;width:100%;height:100%">';
    await using shown = await stage.show({
      '': `<div id=over></div><script>document.querySelector('#over').attachShadow({ mode: 'open' }).innerHTML =
        '<iframe id=harmless src="{there}/harmless" style="${lying}"></iframe>'</script>
        <iframe src="{there}/harmless" style="${lying}"></iframe><iframe src="{there}/pay" style="${lying}"></iframe>`,
      harmless: `${button}Read more</button>`,
      pay: `${button}Pay</button>`,
    });
    const { page, cdp, dom } = shown;
    const lookedAt = async () => (await dom.lookAtPoint({ x: 200, y: 110 }, soon()))?.look.identity.name;
    assert.equal(await lookedAt(), 'Pay');
    await cdp.send('Runtime.evaluate', { expression: `document.querySelector('iframe').style.zIndex = 1` });
    assert.equal(await lookedAt(), 'Read more');
    await page.evaluate(`document.querySelectorAll('iframe')[1].style.zIndex = 2;
      document.body.insertAdjacentHTML('beforeend', '<div style="${lying};z-index:3"></div>')`);
    assert.equal(await lookedAt(), '', 'what lies over all of them');
  });

  it('is not known where two fingers have made the page larger', async () => {
    await using shown = await stage.show({ '': outer, inner });
    const { page, cdp, dom } = shown;
    const fingers = [
      { x: 180, y: 200, id: 0 },
      { x: 220, y: 200, id: 1 },
    ];
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', apart = 0) => {
      const touchPoints = fingers.map(({ x, y, id }) => ({ x: x + (id === 0 ? -apart : apart), y, id }));
      return cdp.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : touchPoints });
    };
    assert.equal((await dom.lookAtPoint({ x: 140, y: 120 }, soon()))?.look.identity.name, 'Alpha');
    await touch('touchStart');
    for (let apart = 10; apart <= 100; apart += 10) await touch('touchMove', apart);
    await touch('touchEnd');
    const scale = Number(await page.evaluate('visualViewport.scale'));
    assert.ok(scale > 1.5, `the page is larger: ${scale}`);
    assert.equal(await dom.lookAtPoint({ x: 140, y: 120 }, soon()), undefined);
  });
});
