import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Target } from '@pilothouse/contract';
import { openStage, type Shown, type Stage, soon } from '../../testing/stage.ts';
import { StepFailure } from '../common/failure.ts';

const failureOf = (work: Promise<unknown>): Promise<StepFailure> =>
  work.then(
    () => assert.fail('it should not be done'),
    (error) => {
      assert.ok(error instanceof StepFailure, String(error));
      return error;
    },
  );

/** Clicks where it is told to, and says what got the click: every page below tells by its own title. */
async function press({ dom, page }: Shown, target: Target) {
  const found = await dom.find(target, 'press', soon(3000));
  await found.call(
    (element) => element.addEventListener('click', () => element.setAttribute('data-hit', 'yes')),
    [],
    soon(),
  );
  const { bbox, point } = await found.ready({ isTouch: true }, soon(3000));
  await page.mouse.click(point.x, point.y);
  const wasHit = await found.call((element) => element.getAttribute('data-hit'), [], soon());
  found.release();
  return { wasHit: wasHit === 'yes', bbox, point };
}

for (const isIsolated of [false, true]) {
  describe(`an element in a frame of ${isIsolated ? 'another' : 'the same'} process`, () => {
    let stage: Stage;
    before(async () => {
      stage = await openStage({ isIsolated });
    });
    after(() => stage?.close());

    it('is clicked where it is', async () => {
      const away = '<div style="height: 1500px"></div>';
      await using shown = await stage.show({
        main: `<body style="margin: 0">${away}
          <iframe src="{there}/outer" style="margin: 0 0 0 40px; border: 7px solid; padding: 5px; width: 500px; height: 300px"></iframe>
          <iframe src="{here}/plain" style="transform: scale(0.5); border: 3px solid"></iframe>
          <iframe src="{there}/hidden" style="visibility: hidden"></iframe>${away}`,
        outer: `<body style="margin: 0">${away}<button>In one frame</button>
          <iframe src="{here}/inner" style="border: 11px solid"></iframe>${away}`,
        inner: `<body style="margin: 0">${away}<button style="margin: 13px">In two frames</button>${away}`,
        plain:
          '<body style="margin: 0"><button style="position: absolute; left: 100px; top: 50px; width: 60px; height: 20px">Small</button>',
        hidden: '<button>Unseen</button><button>In one frame</button>',
      });
      const frames = { 'In one frame': 'localhost', 'In two frames': '127.0.0.1', Small: '127.0.0.1' };
      for (const [name, frame] of Object.entries(frames)) {
        const { wasHit, bbox, point } = await press(shown, { name, frame });
        assert.ok(wasHit, `${name} at ${JSON.stringify(point)} of ${JSON.stringify(bbox)}`);
        assert.ok(
          point.x >= bbox.x && point.x <= bbox.x + bbox.width && point.y >= bbox.y && point.y <= bbox.y + bbox.height,
        );
        assert.ok(bbox.y >= 0 && bbox.y + bbox.height <= 720, 'in the viewport');
        if (name === 'Small') assert.deepEqual([bbox.width, bbox.height].map(Math.round), [30, 10]);
      }
      const unseen: Target = { name: 'Unseen', frame: 'localhost' };
      assert.equal((await failureOf(shown.dom.find(unseen, 'press', soon(1500)))).failure, 'not_found');
      assert.equal(await shown.dom.sees({ text: 'in two' }, soon()), true);
      assert.equal(await shown.dom.sees({ text: 'Unseen' }, soon()), false);
    });

    it('is covered by what the page puts over its frame', async () => {
      await using shown = await stage.show({
        main: `<body style="margin: 0"><iframe src="{there}/frame" style="width: 300px; height: 200px"></iframe>
          <div style="position: fixed; left: 0; top: 0; width: 400px; height: 100px; background: white"></div>`,
        frame:
          '<body style="margin: 0"><button>Under</button><button style="position: absolute; top: 150px; left: 0">Free</button>',
      });
      assert.ok((await press(shown, { name: 'Free', frame: 'localhost' })).wasHit);
      const found = await shown.dom.find({ name: 'Under', frame: 'localhost' }, 'press', soon());
      const { failure } = await failureOf(found.ready({ isTouch: true }, soon(2500)));
      assert.equal(failure, 'covered');
      await found.ready({ isTouch: false }, soon(2500));
    });

    it('is ambiguous where two frames have one', async () => {
      await using shown = await stage.show({
        main: '<iframe src="{there}/frame"></iframe><iframe src="{there}/frame"></iframe><button>Mine</button>',
        frame: '<button>Theirs</button>',
      });
      const theirs: Target = { name: 'Theirs', frame: 'localhost' };
      const { failure, message } = await failureOf(shown.dom.find(theirs, 'press', soon()));
      assert.equal(failure, 'ambiguous');
      assert.equal(message, '2 visible elements match: e1 button, e2 button');
      assert.ok((await press(shown, { ref: 'e2' })).wasHit);
      assert.ok((await press(shown, 'Mine')).wasHit);
    });
  });
}

describe('an element in a frame that was found', () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage?.close());

  it('is not at the point any more once something comes over its frame', async () => {
    await using shown = await stage.show({
      main: `<body style="margin: 0"><iframe src="{here}/frame" style="width: 300px; height: 200px"></iframe>
        <iframe id=ad src="{there}/ad" style="position: fixed; left: 900px; top: 0; width: 300px; height: 200px; opacity: 0"></iframe>`,
      frame: '<body style="margin: 0"><button style="height: 50px">Pay</button>',
      ad: 'Buy lanterns',
    });
    const found = await shown.dom.find('Pay', 'press', soon());
    const { point } = await found.ready({ isTouch: true }, soon());
    assert.equal(await found.isAt(point, soon()), true);
    await shown.page.evaluate("ad.style.left = '0'");
    assert.equal(await found.isAt(point, soon()), false);
  });
});

describe('an element that was found', () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage?.close());

  it('is waited for until it stands still and is enabled', async () => {
    await using shown = await stage.show(`<style>@keyframes go { to { margin-left: 500px } }</style>
      <button style="animation: go 400ms linear forwards">Runs</button>
      <button id=late disabled>Later</button><script>setTimeout(() => { late.disabled = false }, 300)</script>`);
    const runs = await press(shown, 'Runs');
    assert.ok(runs.wasHit && runs.bbox.x > 490, JSON.stringify(runs));
    assert.ok((await press(shown, 'Later')).wasHit);
  });

  it('says why it cannot be touched', async () => {
    await using shown = await stage.show(`<style>@keyframes go { to { margin-left: 500px } }</style>
      <button style="animation: go 1s linear infinite alternate">Runs</button>
      <fieldset disabled><button>Off</button></fieldset><div aria-disabled=true><a href="#">Soft off</a></div>
      <div style="position: relative; width: 100px"><button>Under</button><div style="position: absolute; inset: 0"></div></div>
      <button id=leaves>Leaves</button>`);
    const rows = [
      ['Runs', 'timeout', /moving/],
      ['Off', 'timeout', /disabled/],
      ['Soft off', 'timeout', /disabled/],
      ['Under', 'covered', /covers/],
    ] as const;
    for (const [name, failure, message] of rows) {
      const found = await shown.dom.find(name, 'press', soon());
      const deadline = soon(3000);
      const told = await failureOf(found.ready({ isTouch: true }, deadline));
      assert.equal(told.failure, failure, name);
      assert.match(told.message, message);
      assert.match(deadline.trail().at(-1) ?? '', message);
    }
    const leaves = await shown.dom.find('Leaves', 'press', soon());
    await shown.page.evaluate('leaves.remove()');
    assert.equal((await failureOf(leaves.ready({ isTouch: true }, soon()))).failure, 'not_found');
    const last = await shown.dom.find('Off', 'press', soon());
    await shown.page.goto('about:blank');
    assert.equal((await failureOf(last.ready({ isTouch: true }, soon()))).failure, 'not_found');
  });

  it('is touched where it can be', async () => {
    await using shown =
      await stage.show(`<body style="margin: 0"><div style="position: fixed; top: 0; left: 0; right: 0; height: 200px; background: grey"></div>
      <div style="height: 900px"></div><button style="width: 200px">Scrolls under</button>
      <div style="position: relative; width: 200px"><button style="width: 200px; height: 40px">Half covered</button>
        <div style="position: absolute; left: 50px; top: 0; width: 100px; height: 40px; background: red"></div></div>
      <div style="width: 120px">Some words and then <a href="#">a link over two lines</a></div>
      <button><span style="pointer-events: none">Through</span></button>
      <label>Boxed <input type=checkbox style="opacity: 0"></label>
      <div style="height: 40px; width: 200px; overflow: auto"><div style="height: 600px"></div><button>Deep down</button></div>
      <x-a></x-a><script>document.querySelector('x-a').attachShadow({ mode: 'open' }).innerHTML = '<button>Shaded</button>'</script>`);
    const targets: Target[] = [
      'Scrolls under',
      'Half covered',
      'a link over two lines',
      'Boxed',
      'Deep down',
      'Shaded',
    ];
    for (const target of targets) assert.ok((await press(shown, target)).wasHit, JSON.stringify(target));
    const words = await shown.dom.find({ text: 'Through' }, 'press', soon());
    await words.ready({ isTouch: true }, soon());
    await shown.page.evaluate('scrollTo(0, 0)');
    assert.ok((await press(shown, 'Scrolls under')).wasHit);
  });
});
