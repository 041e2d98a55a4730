import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Target } from '@pilothouse/contract';
import type { Dialog } from 'playwright-core';
import { until } from '../../../../testkit/until.ts';
import { openStage, type Stage, soon } from '../../testing/stage.ts';
import { startDeadline } from '../common/deadline.ts';
import { StepFailure } from '../common/failure.ts';
import type { Dom } from './dom.ts';
import type { Purpose } from './injected/find.ts';

const missingMs = 500;

/** The id of what was found, or why nothing was. */
async function idOf(dom: Dom, target: Target, purpose: Purpose, ms = missingMs): Promise<string> {
  try {
    const found = await dom.find(target, purpose, soon(ms));
    return await found.call((element) => element.id, [], soon());
  } catch (error) {
    if (error instanceof StepFailure) return error.failure;
    throw error;
  }
}

describe('finding', () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage?.close());

  const tables: [name: string, html: string, rows: [Target, Purpose, id: string][]][] = [
    [
      'goes by the name a person would say',
      `<button id=save>Save</button> <button id=icon aria-label="Close window"><svg></svg></button>
       <a id=more href="#">Read <b>more</b></a> <a id=picture href="#"><img alt="Our shop" src="x" width=9 height=9></a>
       <input id=send type=submit value="Send it"> <button id=titled title="Settings">⚙</button>
       <span id=by1>Delete</span><button id=by aria-labelledby="by1 by2">x</button><span id=by2>invoice</span>
       <summary id=loose>Loose</summary><details><summary id=details>More details</summary>text</details>
       <div id=fake role=button tabindex=0>Pretend</div> <p><span id=plain>Just words</span> and more</p>
       <img id=logo alt="Company logo" src="x" width=10 height=10>`,
      [
        ['Save', 'press', 'save'],
        ['save ', 'press', 'save'],
        ['SAV', 'press', 'save'],
        ['Close window', 'press', 'icon'],
        ['Read more', 'press', 'more'],
        ['Our shop', 'press', 'picture'],
        ['Send it', 'press', 'send'],
        ['⚙', 'press', 'titled'],
        ['Delete invoice', 'press', 'by'],
        ['More details', 'press', 'details'],
        ['Pretend', 'press', 'fake'],
        ['Just words', 'press', 'plain'],
        ['Company logo', 'press', 'logo'],
        ['Nothing like it', 'press', 'not_found'],
        [{ role: 'link', name: 'read more' }, 'press', 'more'],
        [{ role: 'button', name: 'Read more' }, 'press', 'not_found'],
        [{ role: 'no-such-role', name: 'Save' }, 'press', 'not_found'],
        [{ text: 'just words' }, 'press', 'plain'],
        [{ css: '#fake' }, 'press', 'fake'],
        [{ css: '][' }, 'press', 'unsupported'],
        [{ css: 'button' }, 'press', 'ambiguous'],
        [{ ref: 'e99' }, 'press', 'not_found'],
      ],
    ],
    [
      'goes by labels to fields',
      `<label>Name <input id=wrapped></label> <label for=far>E-mail</label> <input id=far type=email>
       <input id=hint placeholder="Search the shop"> <input id=told aria-label="Phone"> <input id=secret type=password title="Password">
       <label>Colour <select id=list><option>Red<option>Blue</select></label>
       <label><input id=box type=checkbox> I agree</label> <label id=drawn><input type=checkbox style="display:none"> Drawn box</label>
       <div id=rich contenteditable aria-label="Message">hello</div> <div id=bare contenteditable>Type here</div>
       <label>Photo <input id=file type=file style="display:none"></label>
       <label for=size>Size <button>?</button></label> <input id=size> <p>Address</p>
       <label for=both>Both</label> <input id=both> <button id=bothButton>Both</button>
       <fieldset><legend>Payment</legend><label><input type=radio id=radio> By card</label></fieldset>`,
      [
        ['Name', 'fill', 'wrapped'],
        ['e-mail', 'fill', 'far'],
        ['Search the shop', 'fill', 'hint'],
        ['Phone', 'fill', 'told'],
        ['Password', 'fill', 'secret'],
        ['Colour', 'select', 'list'],
        ['I agree', 'check', 'box'],
        ['Drawn box', 'check', 'drawn'],
        ['Drawn box', 'press', 'drawn'],
        ['Message', 'fill', 'rich'],
        ['Type here', 'fill', 'bare'],
        ['Photo', 'upload', 'file'],
        [{ css: '[type=file]' }, 'upload', 'file'],
        [{ css: '[type=file]' }, 'press', 'not_found'],
        ['Size', 'fill', 'size'],
        ['Address', 'fill', 'not_found'],
        ['Both', 'fill', 'both'],
        ['Both', 'press', 'bothButton'],
        ['By card', 'check', 'radio'],
        [{ label: 'Name' }, 'fill', 'wrapped'],
        [{ label: 'Colour' }, 'any', 'list'],
        [{ role: 'textbox', name: 'Name' }, 'any', 'wrapped'],
        [{ text: 'Name' }, 'fill', 'wrapped'],
      ],
    ],
    [
      'takes the closest name, and never a guess',
      `<button id=a>Next</button> <button id=b>next</button> <button id=c>Next page</button>
       <button>Twice</button><button>Twice</button> <button>Page 1</button><button>Page 2</button>
       <a href="#" id=outer><span role=button id=inner>Nested</span></a> <a href="#" id=pair><b>Same</b> <i>Same</i></a>
       <button style="display:none">Once</button><button id=once>Once</button><button style="visibility:hidden">Once</button>
       <div style="height:0;overflow:hidden"></div><button style="position:absolute;left:-9999px">Once</button>
       <div aria-hidden=true><button>Once</button></div><div hidden><button id=never>Only hidden</button></div>
       <div id=scroller style="height:50px;overflow:auto"><button id=top>Above</button><div style="height:900px"></div></div>
       <script>scroller.scrollTop = 800</script>`,
      [
        ['Next', 'press', 'a'],
        ['next', 'press', 'b'],
        ['NEXT', 'press', 'ambiguous'],
        ['Next p', 'press', 'c'],
        ['Twice', 'press', 'ambiguous'],
        ['Page', 'press', 'ambiguous'],
        ['Nested', 'press', 'inner'],
        [{ text: 'Same' }, 'press', ''],
        ['Once', 'press', 'once'],
        ['Only hidden', 'press', 'not_found'],
        [{ css: '#never' }, 'press', 'not_found'],
        ['Above', 'press', 'top'],
      ],
    ],
    [
      'looks into shadow roots and slots',
      `<x-card><span slot=title>Slotted</span></x-card><x-form></x-form>
       <script>
         customElements.define('x-card', class extends HTMLElement { connectedCallback() {
           this.attachShadow({ mode: 'open' }).innerHTML = '<button id=shadow>In the shade</button><button id=slot><slot name=title></slot></button><x-deep></x-deep>' } });
         customElements.define('x-deep', class extends HTMLElement { connectedCallback() {
           this.attachShadow({ mode: 'open' }).innerHTML = '<label for=deep>Deep field</label><input id=deep>' } });
       </script>`,
      [
        ['In the shade', 'press', 'shadow'],
        ['Slotted', 'press', 'slot'],
        ['Deep field', 'fill', 'deep'],
        [{ css: '#deep' }, 'fill', 'deep'],
        [{ css: 'x-card button' }, 'press', 'not_found'],
      ],
    ],
    [
      'is not fooled by a page that changes what the browser offers',
      `<form id=form><input name=getAttribute><input name=parentNode><input name=localName><input name=shadowRoot>
         <input name=firstChild><input name=checkVisibility><button id=real>Pay 10</button></form>
       <img name=querySelectorAll><img name=documentElement><a id=eyes></a>
       <script>
         const lie = () => { throw new Error('tampered') };
         for (const of of [Array, Element, Node, Document, Map, Set, String, Object, Promise, Reflect, JSON, WeakRef])
           for (const holder of [of, of.prototype])
             for (const name of holder ? Object.getOwnPropertyNames(holder) : []) try { if (name !== 'constructor' && name !== 'prototype') Object.defineProperty(holder, name, { get: lie, set: lie }) } catch {}
       </script>`,
      [
        ['Pay 10', 'press', 'real'],
        [{ css: 'form button' }, 'press', 'real'],
        [{ text: 'Pay 10' }, 'press', 'real'],
      ],
    ],
  ];
  for (const [name, html, rows] of tables) {
    it(name, async () => {
      await using shown = await stage.show(`<!doctype html><body>${html}`);
      for (const [target, purpose, id] of rows) {
        assert.equal(
          await idOf(shown.dom, target, purpose, id === 'not_found' ? missingMs : 5000),
          id,
          `${JSON.stringify(target)} to ${purpose}`,
        );
      }
    });
  }

  it('waits for what comes late, and prefers it to a part of another name', async () => {
    await using shown = await stage.show(`<button id=part>Buy now and save</button>
      <script>setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<button id=late>Buy now</button>'), 150)</script>`);
    assert.equal(await idOf(shown.dom, 'Buy now', 'press', 3000), 'late');
  });

  it('says which elements are meant where there are several', async () => {
    await using shown = await stage.show('<button>Twice</button><a href="#">Twice</a>');
    const failure = await shown.dom.find('Twice', 'press', soon()).catch((error) => error);
    assert.equal(failure.message, '2 visible elements match: e1 button, e2 link');
    const second = await shown.dom.find({ ref: 'e2' }, 'press', soon());
    assert.equal(await second.call((element) => element.localName, [], soon()), 'a');
  });

  it('goes on looking through a navigation', async () => {
    await using shown = await stage.show({
      first: '<script>setTimeout(() => location.href = "{there}/second", 100)</script>',
      second: '<button id=there>Arrived</button>',
    });
    assert.equal(await idOf(shown.dom, 'Arrived', 'press', 5000), 'there');
  });

  it('does not wait beyond its time for a page that hangs', async () => {
    await using shown = await stage.show('<button>Here</button>');
    let hangs = true;
    const hanging = shown.page.evaluate('for (const end = Date.now() + 3000; Date.now() < end; );').then(() => {
      hangs = false;
    });
    assert.equal(await idOf(shown.dom, 'Here', 'press', 300), 'timeout');
    assert.ok(hangs);
    await hanging;
  });

  it('does not wait beyond its time for a page that shows a dialog, and gives up when told to', async () => {
    await using shown = await stage.show('<button>Here</button>');
    const opened = new Promise<Dialog>((resolve) => shown.page.once('dialog', resolve));
    const asking = shown.page.evaluate('alert("Stop")');
    const dialog = await opened;
    assert.equal(await idOf(shown.dom, 'Here', 'press', 300), 'timeout');
    const given = new AbortController();
    const looking = shown.dom.find('Here', 'press', startDeadline(60_000, given.signal));
    setTimeout(() => given.abort(), 100);
    await assert.rejects(looking, /aborted/);
    await assert.rejects(shown.dom.outline(0, soon(300)), /does not answer/);
    await assert.rejects(shown.dom.text(soon(300)), /does not answer/);
    assert.equal(await shown.dom.sees({ text: 'Here' }, soon(300)), false);
    await dialog.dismiss();
    await asking;
    assert.equal(await shown.dom.sees({ text: 'here' }, soon()), true);
    assert.equal(await shown.dom.sees({ selector: 'button' }, soon()), true);
    assert.equal(await shown.dom.sees({ selector: 'a' }, soon()), false);
    await assert.rejects(shown.dom.sees({ selector: '][' }, soon()), /not a valid selector/);
  });
});

describe('finding beside a frame that hangs', () => {
  it('goes on in the rest of the page', async () => {
    const stage = await openStage({ isIsolated: true });
    try {
      await using shown = await stage.show({
        main: '<button id=well>Well</button><iframe src="{there}/frame"></iframe>',
        frame:
          '<button>Ill</button><script>onmessage = () => { console.log("hangs"); for (const end = Date.now() + 6000; Date.now() < end; ); console.log("over") }</script>',
      });
      const logged: string[] = [];
      shown.page.on('console', (message) => void logged.push(message.text()));
      await shown.page.evaluate('frames[0].postMessage("hang", "*")');
      await until(() => logged.includes('hangs'), 5000);
      assert.equal(await idOf(shown.dom, 'Well', 'press', 4500), 'well');
      const { items } = await shown.dom.outline(0, soon(4500));
      assert.deepEqual(logged, ['hangs'], 'while it hangs');
      assert.deepEqual(
        items.map(({ name }) => name),
        ['Well'],
      );
    } finally {
      await stage.close();
    }
  });
});
