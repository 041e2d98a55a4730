import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { lineOf, maxOutlineChars, OutlineItem } from '@pilothouse/bus';
import { openStage, type Stage, soon } from '../../testing/stage.ts';
import { within } from '../common/deadline.ts';
import { StepFailure } from '../common/failure.ts';
import type { Dom } from './dom.ts';

/** Without refs and places. */
const short = ({ role, name, value, states, is_in_view }: OutlineItem) =>
  [role, name, ...(value === undefined ? [] : [`= ${value}`]), ...states, ...(is_in_view ? [] : ['out'])].join(' ');

async function linesOf(dom: Dom): Promise<string[]> {
  return (await dom.outline(0, soon(3000))).items.map(short);
}

for (const isIsolated of [false, true]) {
  describe(`an outline, frames in ${isIsolated ? 'their own processes' : 'one process'}`, () => {
    let stage: Stage;
    before(async () => {
      stage = await openStage({ isIsolated });
    });
    after(() => stage?.close());

    it('has frames where they stand, and places in the page', async () => {
      await using shown = await stage.show({
        main: `<body style="margin: 0"><button>Before</button><br><iframe src="{there}/frame" style="border: 0; margin-left: 100px; height: 100px"></iframe>
          <button>After</button><iframe style="display: none" src="{there}/frame"></iframe>`,
        frame: `<body style="margin: 0"><p>Framed words</p><a href="#" style="position: absolute; left: 10px; top: 5px; width: 50px; height: 20px">Inside</a>
          <div style="height: 300px"></div><button>Below</button>`,
      });
      assert.deepEqual(await linesOf(shown.dom), ['button Before', 'link Inside', 'button After', 'button Below out']);
      const { items } = await shown.dom.outline(0, soon());
      const inside = items.find(({ name }) => name === 'Inside');
      assert.deepEqual([inside?.box.x, inside?.box.width, inside?.box.height], [110, 50, 20]);
      const found = await shown.dom.find({ ref: inside?.ref ?? '' }, 'press', soon());
      assert.equal(await found.call((element) => element.textContent, [], soon()), 'Inside');
      assert.equal(await shown.dom.text(soon()), 'Before\nFramed words\nInside\nBelow\nAfter');
    });
  });
}

describe('an outline', () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage?.close());

  it('tells what can be acted on, and how it stands', async () => {
    await using shown = await stage.show(`<!doctype html><h1>Shop</h1><p>Only words</p>
      <a href="#" aria-current=page>Home</a> <button disabled>Off</button> <button aria-expanded=false>Menu</button> <button aria-pressed=true>Bold</button>
      <label>Name <input value="Anna" required></label> <label>Fixed <input value="x" readonly></label>
      <label><input type=checkbox checked> Agree</label> <label><input type=radio name=r> One</label>
      <label>Colour <select><option>Red<option selected>Blue</select></label> <textarea aria-label=Note>Some
text</textarea> <div contenteditable aria-label=Rich>Hello <b>you</b></div>
      <details open><summary>More</summary><div role=tab aria-selected=true tabindex=0>First</div></details>
      <div style="cursor: pointer"><b>Looks</b> clickable</div><div style="cursor: pointer">Card <a href="#">Inner</a></div>
      <div role=slider aria-valuenow=3 tabindex=0 aria-label=Volume style="width: 90px; height: 9px"></div>
      <button style="display: none">No</button><div aria-hidden=true><button>No</button></div><div inert><button>No</button></div>
      <div style="opacity: 0"><button>No</button></div><div style="height: 0; overflow: hidden"><button>No</button></div>
      <div style="height: 2000px"></div><a href="#">Far</a><script>document.querySelector('textarea').focus()</script>`);
    assert.deepEqual(await linesOf(shown.dom), [
      'heading Shop',
      'link Home current',
      'button Off disabled',
      'button Menu collapsed',
      'button Bold pressed',
      'textbox Name = Anna required',
      'textbox Fixed = x readonly',
      'checkbox Agree checked',
      'radio One',
      'combobox Colour = Blue',
      'textbox Note = Some\ntext focused',
      'textbox Rich = Hello you',
      'button More expanded',
      'tab First selected',
      'clickable Looks clickable',
      'link Inner',
      'slider Volume = 3',
      'link Far out',
    ]);
    const { items } = await shown.dom.outline(0, soon());
    assert.deepEqual(OutlineItem.array().parse(items), items);
  });

  it('comes in portions, and quickly', async () => {
    const rows = Array.from(
      { length: 600 },
      (_, index) => `<tr><td><a href="#">Item ${index}</a><td><button>Buy ${index}</button><td>text ${index}`,
    );
    await using shown = await stage.show(`<!doctype html><h1>Many</h1><table>${rows.join('')}</table>`);
    const { dom } = shown;
    const names: string[] = [];
    let times = 0;
    for (let from: number | null = 0; from !== null; times += 1) {
      const begun = performance.now();
      const { items, next } = await dom.outline(from, soon(5000));
      if (times % 4 === 0)
        console.log(`outline of a page of 3,600 elements: ${Math.round(performance.now() - begun)} ms`);
      assert.ok(items.map(lineOf).join('\n').length <= maxOutlineChars);
      names.push(...items.map(({ name }) => name));
      from = next;
    }
    assert.equal(names.length, 1200, 'without the heading, for which there is no room');
    assert.equal(new Set(names).size, 1200);
    for (const target of ['Buy 599', 'buy 599', { text: 'text 599' }, 'Buy 599']) {
      const begun = performance.now();
      const found = await within(soon(1000), dom.find(target, 'press', soon(5000)));
      const ms = performance.now() - begun;
      console.log(`find ${JSON.stringify(target)} among 3,600 elements: ${Math.round(ms)} ms`);
      found.release();
    }
  });

  it('gives refs that stay while the document lives, and never mean something else', async () => {
    await using shown = await stage.show({
      first: '<div id=list><button>One</button><button>Two</button></div>',
      second: '<button>Other</button>',
    });
    const { dom, page } = shown;
    const before = (await dom.outline(0, soon())).items;
    assert.deepEqual(
      before.map(({ ref }) => ref),
      ['e1', 'e2'],
    );
    // The first is created again, the second is moved.
    await page.evaluate(
      `list.innerHTML = '<p></p>', list.append(Object.assign(document.createElement('button'), { textContent: 'One' }))`,
    );
    const failure = async (ref: string) => {
      const error = await dom.find({ ref }, 'press', soon(400)).catch((one) => one);
      assert.ok(error instanceof StepFailure, String(error));
      return `${error.failure}: ${error.message}`;
    };
    assert.equal(await failure('e1'), 'not_found: e1 is no longer part of the page');
    assert.deepEqual(
      (await dom.outline(0, soon())).items.map(({ ref }) => ref),
      ['e3'],
    );
    await page.goto(new URL('second', page.url()).href);
    assert.match(await failure('e3'), /^not_found: the document that e3 was part of is gone/);
    assert.deepEqual(
      (await dom.outline(0, soon())).items.map(({ ref }) => ref),
      ['e4'],
    );
    assert.equal(await failure('e77'), 'not_found: no element was called e77');
    assert.match(await failure('nonsense'), /^not_found/);
  });

  it('stands pages that are strange or made to wear it out', async () => {
    const rows = Array.from({ length: 1500 }, (_, index) => `<div><span>Row ${index}</span></div>`).join('');
    await using shown =
      await stage.show(`<!doctype html><meta http-equiv=content-security-policy content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'">
      <style>body { cursor: pointer }</style><body style="cursor: pointer">${rows}<div id=deep></div>
      <script>let at = deep; for (let n = 0; n < 3000; n += 1) at = at.appendChild(document.createElement('b')); at.append('Bottom')</script>`);
    const { dom } = shown;
    const inTime = soon(30_000);
    const { items } = await within(inTime, dom.outline(0, soon(20_000)));
    assert.deepEqual(
      items.map(({ role }) => role),
      ['clickable'],
    );
    const found = await within(inTime, dom.find('Row 1499', 'press', soon(20_000)));
    assert.equal(await found.call((element) => element.localName, [], soon(20_000)), 'span');
    assert.match(await within(inTime, dom.text(soon(20_000))), /^Row 0\nRow 1\n/);
  });

  it('does not tell passwords and payment cards', async () => {
    await using shown = await stage.show(`<!doctype html><input type=password aria-label=Secret value=hunter2>
      <input autocomplete="billing cc-number" aria-label=A value=1234> <input name=cardNumber aria-label=B value=5678>
      <label>Security code <input value=321></label> <input placeholder="MM / YY" value="11/27"> <input id=cvv2 value=999>
      <input aria-label=Plain value="4111 1111 1111 1111"> <input aria-label=Order value="4111 1111 1111 1112"> <input aria-label=Empty type=password>`);
    assert.deepEqual(await linesOf(shown.dom), [
      'textbox Secret = ••••',
      'textbox A = ••••',
      'textbox B = ••••',
      'textbox Security code = ••••',
      'textbox MM / YY = ••••',
      'textbox  = ••••',
      'textbox Plain = ••••',
      'textbox Order = 4111 1111 1111 1112',
      'textbox Empty = ',
    ]);
  });
});
