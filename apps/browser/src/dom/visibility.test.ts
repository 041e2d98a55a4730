import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Target } from '@pilothouse/contract';
import { openStage, type Shown, type Stage, soon } from '../../testing/stage.ts';
import { StepFailure } from '../common/failure.ts';
import type { Purpose } from './injected/find.ts';

async function find({ dom }: Shown, target: Target, purpose: Purpose, ms = 3000): Promise<string> {
  try {
    const found = await dom.find(target, purpose, soon(ms));
    return await found.call((element) => element.id, [], soon());
  } catch (error) {
    if (error instanceof StepFailure) return error.failure;
    throw error;
  }
}

const srOnly =
  'position:absolute;width:1px;height:1px;margin:-1px;padding:0;border:0;overflow:hidden;clip:rect(0 0 0 0)';

describe('a person cannot see', () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage?.close());

  /** Each is called Pay, to the letter. */
  const buttons: [why: string, html: string][] = [
    ['what is clear', '<button style="opacity:0">Pay</button>'],
    ['what a filter makes clear', '<button style="filter:opacity(1%)">Pay</button>'],
    [
      'what all around it makes clear',
      '<p style="opacity:.2"><span style="opacity:.2"><button>Pay</button></span></p>',
    ],
    [
      'what is clear in a slot',
      '<x-clear><button>Pay</button></x-clear><script>document.querySelector("x-clear").attachShadow({mode:"open"}).innerHTML="<div style=opacity:0><slot></slot></div>"</script>',
    ],
    ['one pixel', '<button style="width:1px;height:1px;padding:0;border:0;overflow:hidden">Pay</button>'],
    ['a line of one pixel', '<button style="width:1px;height:60px;padding:0;border:0;overflow:hidden">Pay</button>'],
    ['what is scaled to nothing', '<button style="transform:scale(0.02)">Pay</button>'],
    ['what is cut by an inset', '<button style="clip-path:inset(50%)">Pay</button>'],
    ['what is cut by uneven insets', '<button style="clip-path:inset(10px 0 90%)">Pay</button>'],
    ['what is cut by a circle', '<button style="clip-path:circle(0)">Pay</button>'],
    ['what is cut by a polygon', '<button style="clip-path:polygon(0 0, 100% 0, 100% 0)">Pay</button>'],
    ['what is cut by a path', '<button style="clip-path:path(\'M0 0\')">Pay</button>'],
    [
      'what is cut by an empty shape',
      '<svg width=9 height=9><clipPath id=none></clipPath></svg><button style="clip-path:url(#none)">Pay</button>',
    ],
    ['what is in something cut', '<div style="clip-path:inset(100%)"><p><button>Pay</button></p></div>'],
    ['what an old clip cuts', '<button style="position:absolute;clip:rect(0 0 0 0)">Pay</button>'],
    [
      'what overflow hides',
      '<div style="overflow:hidden;width:100px;height:30px;position:relative"><button style="position:absolute;left:200px">Pay</button></div>',
    ],
    [
      'what is before all scrolling',
      '<div style="overflow:auto;width:100px;height:50px;position:relative"><p style="height:900px">x</p><button style="position:absolute;top:-300px">Pay</button></div>',
    ],
    ['what is left of the page', '<button style="position:absolute;left:-9999px">Pay</button>'],
    ['what is fixed outside the window', '<button style="position:fixed;left:120vw">Pay</button>'],
    [
      'what is below a window that it is fixed to',
      '<div style="position:fixed;top:0"><button style="position:absolute;top:200vh">Pay</button></div>',
    ],
    ['white on white', '<button style="color:#fff;background:#fff;border:0">Pay</button>'],
    ['nearly white on white', '<a href="#" style="color:#fdfdfd"><b>Pay</b></a>'],
    ['white on white, said in another way', '<button style="color:oklch(1 0 0);background:none;border:0">Pay</button>'],
    ['clear words', '<button style="color:transparent;background:none;border:0">Pay</button>'],
    ['blue on blue', '<div style="background:#00f;padding:9px"><a href="#" style="color:#00f">Pay</a></div>'],
    [
      'white on white far below',
      '<div style="height:3000px"></div><button style="color:#fff;background:#fff;border:0">Pay</button>',
    ],
  ];
  for (const [why, html] of buttons) {
    it(why, async () => {
      await using shown = await stage.show(`<!doctype html><body><p><button id=seen>Pay €20 now</button></p>${html}`);
      assert.equal(await find(shown, 'Pay', 'press'), 'seen');
      assert.equal(await find(shown, { css: ':not(#seen):is(button, a)' }, 'press', 400), 'not_found');
    });
  }

  it('fields that are hidden in the same ways', async () => {
    const styles = [
      'opacity:0',
      'width:1px;height:1px;padding:0;border:0',
      'clip-path:inset(50%)',
      'color:#fff;background:#fff;border:0;outline:0',
    ];
    for (const style of styles) {
      await using shown =
        await stage.show(`<!doctype html><body><label>Your password <input id=seen type=password></label>
        <div style="border:1px solid; padding:9px"><input aria-label="Password" type=password style="${style}"></div>`);
      assert.equal(await find(shown, 'Password', 'fill'), 'seen', style);
    }
  });

  it('a name that is told only to those who cannot see, while the words say another thing', async () => {
    await using shown = await stage.show(`<!doctype html><body><button id=pay>Pay €20 now</button>
      <button id=delete aria-label="Pay">Delete account</button>
      <button id=hidden><span style="${srOnly}">Pay</span><span aria-hidden=true>Delete all</span></button>
      <input id=value type=submit aria-label="Pay" value="Delete me">
      <button id=search aria-label="Search">Go</button> <button id=close aria-label="Close">✕ x</button>
      <a id=more href="#" aria-label="Read more about ships">Read more</a>`);
    assert.equal(await find(shown, 'Pay', 'press'), 'pay');
    assert.equal(await find(shown, { role: 'button', name: 'Pay' }, 'press'), 'pay');
    assert.equal(await find(shown, 'Search', 'press'), 'search', 'where nothing else fits');
    assert.equal(await find(shown, 'Close', 'press'), 'close');
    assert.equal(await find(shown, 'Read more about ships', 'press'), 'more');
  });
});

describe('a person can see', () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage?.close());

  const tables: [name: string, html: string, rows: [Target, Purpose, id: string][]][] = [
    [
      'what has to be scrolled to',
      `<button id=below style="position:absolute;top:3000px">Far below</button>
       <div style="overflow:auto;width:200px;height:60px"><p style="height:900px;width:900px">x</p><button id=deep style="margin-left:700px">Deep down</button></div>
       <div style="overflow-x:scroll;width:200px;white-space:nowrap"><span style="display:inline-block;width:900px"></span><button id=aside>Aside</button></div>
       <div style="overflow:hidden;width:9px;height:9px"><button id=free style="position:absolute;top:300px">Not held</button></div>
       <div style="overflow:hidden;height:20px"><button id=half style="height:60px">Half of it</button></div>`,
      [
        ['Far below', 'press', 'below'],
        ['Deep down', 'press', 'deep'],
        ['Aside', 'press', 'aside'],
        ['Not held', 'press', 'free'],
        ['Half of it', 'press', 'half'],
      ],
    ],
    [
      'what is pale, small or thin',
      `<button id=pale style="opacity:.3">Pale</button><a id=letter href="#" style="font:12px sans-serif">i</a>
       <input id=slide type=range aria-label="Volume" style="height:2px;width:150px;appearance:none">
       <div id=split style="width:2px;height:300px;background:#888" role=separator aria-label="Divider"></div>
       <button id=dots style="width:5px;height:5px;padding:0" aria-label="Slide 2"></button>
       <button id=cut style="clip-path:polygon(0 0, 100% 0, 90% 100%, 10% 100%)">Cut nicely</button>
       <button id=round style="clip-path:circle(40%)">Round</button>`,
      [
        ['Pale', 'press', 'pale'],
        [{ role: 'link', name: 'i' }, 'press', 'letter'],
        ['Volume', 'fill', 'slide'],
        ['Slide 2', 'press', 'dots'],
        ['Cut nicely', 'press', 'cut'],
        ['Round', 'press', 'round'],
      ],
    ],
    [
      'light words against something dark that is not around them',
      `<div style="position:relative;height:60px"><img src="x" width=400 height=60 style="position:absolute"><a id=hero href="#" style="color:#fff;position:absolute">Hero</a></div>
       <div style="position:relative;height:40px"><i style="position:absolute;inset:0;background:#000"></i><b style="position:relative"><a id=layer href="#" style="color:#fff">Layer</a></b></div>
       <style>.before { position:relative; z-index:0; border:0; background:none; color:#fff } .before::before { content:""; position:absolute; inset:0; background:#00f; z-index:-1 }</style>
       <button id=before class=before>Before</button>
       <a id=gradient href="#" style="color:transparent;background:linear-gradient(red, blue);background-clip:text">Gradient</a>
       <a id=shadow href="#" style="color:#fff;text-shadow:0 0 2px #000">Shadow</a>
       <button id=icon style="color:#fff;background:none;border:0">Icon<svg width=12 height=12><circle r=9 /></svg></button>
       <button id=edge style="color:#fff;background:#fff;border:1px solid #aaa">Edge</button>
       <a id=red href="#" style="color:#f00;background:#00c800">Red on green</a>`,
      ['Hero', 'Layer', 'Before', 'Gradient', 'Shadow', 'Icon', 'Edge', 'Red on green'].map(
        (name): [Target, Purpose, string] => [name, 'press', name.split(' ')[0]?.toLowerCase() ?? ''],
      ),
    ],
    [
      'fields of all kinds',
      `<label>Plain <input id=plain style="border:1px solid #ccc;background:#fff"></label>
       <label>Bare <input id=bare style="border:0;background:none"></label>
       <input id=hint placeholder="Search here" style="border:0;color:#fff;background:#fff">
       <label>Code <input id=code style="border:0;background:none;color:transparent;caret-color:transparent"></label>
       <label style="${srOnly}" for=named>Only told</label><input id=named>
       <div style="background:#111;padding:9px"><label style="color:#eee">Dark <input id=dark style="border:0;background:none;color:#eee"></label></div>`,
      [
        ['Plain', 'fill', 'plain'],
        ['Bare', 'fill', 'bare'],
        ['Search here', 'fill', 'hint'],
        ['Code', 'fill', 'code'],
        ['Only told', 'fill', 'named'],
        ['Dark', 'fill', 'dark'],
      ],
    ],
    [
      'controls that something is drawn for',
      `<span style="position:relative;display:inline-block;width:20px;height:20px"><input id=row type=checkbox aria-label="Select row" style="position:absolute;inset:0;opacity:0;margin:0"><svg width=20 height=20><rect width=20 height=20 /></svg></span>
       <label id=agree style="position:relative"><input type=checkbox style="${srOnly}"> I agree</label>
       <label id=switch style="display:inline-block;width:60px;height:30px;background:#ccc"><input type=checkbox aria-label="Wifi" style="opacity:0;width:0;height:0"><i></i></label>
       <input type=radio id=near style="opacity:0;position:absolute"><label for=near>By card</label>
       <label for=country>Country</label><select id=country style="${srOnly}"><option>Peru<option>Chile</select><span style="border:1px solid">Peru</span>
       <div style="position:relative"><select id=size aria-label="Size" style="opacity:0;position:absolute;inset:0"><option>S<option>L</select><span>S ▾</span></div>
       <div style="border:1px solid #ccc;padding:8px;width:200px"><div>Choose…</div><div style="display:inline-grid"><input id=react role=combobox aria-label="Colour" aria-autocomplete=list style="width:2px;border:0;padding:0;opacity:0"></div></div>
       <div style="border:1px solid #ccc;height:90px;position:relative"><textarea id=editor aria-label="Editor content" style="width:1px;height:1px;padding:0;border:0;position:absolute"></textarea>text</div>
       <div style="position:relative;overflow:hidden">Choose a file<input id=file type=file style="opacity:0;position:absolute;inset:0" aria-label="Photo"></div>
       <input type=checkbox aria-label="Ghost" style="opacity:0;position:absolute;left:900px;top:600px">`,
      [
        ['Select row', 'check', 'row'],
        ['I agree', 'check', 'agree'],
        ['Wifi', 'check', 'switch'],
        ['By card', 'check', 'near'],
        ['Country', 'select', 'country'],
        ['Size', 'select', 'size'],
        ['Colour', 'select', 'react'],
        ['Editor content', 'fill', 'editor'],
        ['Photo', 'upload', 'file'],
        ['Ghost', 'check', 'not_found'],
      ],
    ],
    [
      'what lies over everything',
      `<div style="opacity:0;overflow:hidden;width:1px;height:1px"><dialog id=d><button id=ok>Understood</button></dialog><div popover id=p><button id=pop>Popped</button></div></div>
       <script>d.showModal(); p.showPopover()</script>`,
      [
        ['Understood', 'press', 'ok'],
        ['Popped', 'press', 'pop'],
      ],
    ],
  ];
  for (const [name, html, rows] of tables) {
    it(name, async () => {
      await using shown = await stage.show(`<!doctype html><body>${html}`);
      for (const [target, purpose, id] of rows) {
        const ms = id === 'not_found' ? 400 : 3000;
        assert.equal(await find(shown, target, purpose, ms), id, `${JSON.stringify(target)} to ${purpose}`);
      }
    });
  }
});
