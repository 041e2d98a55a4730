import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Target } from '@pilothouse/contract';
import { openStage, type Stage, soon } from '../../testing/stage.ts';
import { StepFailure } from '../common/failure.ts';
import type { Dom } from './dom.ts';
import type { Purpose } from './injected/find.ts';

const shortMs = 1500;

/** The id of what was found, or the failure and its sentence. */
async function found(dom: Dom, target: Target, purpose: Purpose = 'press'): Promise<string> {
  try {
    const element = await dom.find(target, purpose, soon(shortMs));
    return await element.call((one) => one.id, [], soon());
  } catch (error) {
    if (error instanceof StepFailure) return `${error.failure}: ${error.message}`;
    throw error;
  }
}

const remove = (within: string): Target => ({ name: 'Remove', within });
const notThere = /^not_found: nothing in the part that the step names is called so; elsewhere on the page/;
const unsaid = 'not_found: nothing visible on the page says the words of the part that the step names';

type Row = [Target, expected: string | RegExp, purpose?: Purpose];

const pages: [name: string, html: string, rows: Row[]][] = [
  [
    'is the list item, by any of its words',
    `<ul><li><b>Brass lantern</b> <span>€ 42.25</span> <button id=brass>Remove</button></li>
     <li><b>Pocket compass</b> <span>€ 7</span> <button id=pocket>Remove</button></li>
     <li><b>Sold lamp</b> no longer for sale</li></ul>`,
    [
      [remove('Brass lantern'), 'brass'],
      [remove('pocket COMPASS'), 'pocket'],
      [remove('Pocket'), 'pocket'],
      [{ role: 'button', name: 'Remove', within: '€ 7' }, 'pocket'],
      [{ css: 'button', within: 'Brass lantern' }, 'brass'],
      [{ text: 'Remove', within: 'Brass lantern' }, 'brass'],
      [remove('Sold lamp'), notThere],
      [remove('Silver spoon'), unsaid],
      [{ name: 'Destroy', within: 'Brass lantern' }, 'not_found: nothing visible on the page is called so'],
    ],
  ],
  [
    'is the card, also where cards are plain boxes',
    `<div class=grid><div class=card><div class=head>Brass lantern</div><div class=foot>3 left <a id=b href="#">Edit</a> <button id=brass>Remove</button></div></div>
     <div class=card><div class=head>Pocket compass</div><div class=foot>9 left <a href="#">Edit</a> <button id=pocket>Remove</button></div></div>
     <div class=card><div class=head>Sold lamp</div><div class=foot>0 left</div></div></div>
     <div class=plain><div><b>Iron kettle</b></div><div><b>Copper pan</b> <button id=pan>Discard</button></div></div>`,
    [
      [remove('Brass lantern'), 'brass'],
      [remove('Pocket compass'), 'pocket'],
      [remove('Sold lamp'), notThere],
      [{ name: 'Discard', within: 'Copper pan' }, 'pan'],
      [{ name: 'Discard', within: 'Iron kettle' }, notThere],
    ],
  ],
  [
    'is the nearest card where cards lie in each other',
    `<article>Camping set <button id=set>Remove</button>
       <article>Gas stove <button id=stove>Remove</button></article>
       <article>Tin cup <button id=cup>Remove</button></article></article>
     <article>Hammock <button id=hammock>Remove</button></article>`,
    [
      [remove('Gas stove'), 'stove'],
      [remove('Tin cup'), 'cup'],
      [remove('Camping set'), 'set'],
      [remove('Hammock'), 'hammock'],
    ],
  ],
  [
    'is the row of a table, drawn or told',
    `<table><caption>Orders</caption><thead><tr><th>Name<th>Amount<th>Action</thead>
       <tr><td>Brass lantern<td><input id=one aria-label=Amount><td><button id=brass>Remove</button>
       <tr><td>Pocket compass<td><input id=two aria-label=Amount><td><button id=pocket>Remove</button></table>
     <div role=table><div role=row><div role=cell class=c>Silk rope</div><div role=cell class=c><button id=silk>Cut</button></div></div>
       <div role=row><div role=cell class=c>Hemp rope</div><div role=cell class=c><button id=hemp>Cut</button></div></div></div>`,
    [
      [remove('Pocket compass'), 'pocket'],
      [{ name: 'Amount', within: 'Pocket compass' }, 'two', 'fill'],
      [{ label: 'Amount', within: 'Brass lantern' }, 'one', 'fill'],
      [{ name: 'Cut', within: 'Hemp rope' }, 'hemp'],
      [
        remove('Orders'),
        /^ambiguous: 2 visible elements match in the part that the step names: e\d+ button, e\d+ button$/,
      ],
    ],
  ],
  [
    'is what follows a heading, up to the next one of its rank',
    `<h1>Basket</h1><h2>Brass lantern</h2><div class=card>€ 42 <button id=brass>Remove</button></div>
     <h2>Pocket compass</h2><p>Small.</p><h3>Options</h3><div class=card>€ 7 <button id=pocket>Remove</button></div>
     <h2>Sold lamp</h2><p>Gone.</p>
     <div id=last><button id=above>Discard</button><h3>Old lamp</h3></div>`,
    [
      [remove('Brass lantern'), 'brass'],
      [remove('Pocket compass'), 'pocket'],
      [remove('Sold lamp'), notThere],
      [remove('Basket'), /^ambiguous: 2 visible elements match in the part/],
      [{ name: 'Discard', within: 'Old lamp' }, 'above'],
    ],
  ],
  [
    'is a group of fields or a part with a name, and never the menu of the page',
    `<nav><a href="#">Brass lantern</a> <a href="#">Delivery</a></nav>
     <fieldset><legend>Billing</legend><label>Street <input id=billing></label></fieldset>
     <fieldset><legend>Delivery</legend><label>Street <input id=delivery></label></fieldset>
     <section aria-label="Newsletter"><label>Mail <input id=news></label></section>
     <section aria-label="Account"><label>Mail <input id=account></label></section>
     <main><p>Nothing is called after it here.</p><button id=only>Remove</button></main>`,
    [
      [{ name: 'Street', within: 'Delivery' }, 'delivery', 'fill'],
      [{ name: 'Street', within: 'billing' }, 'billing', 'fill'],
      [{ name: 'Mail', within: 'Account' }, 'account', 'fill'],
      [remove('Brass lantern'), /elsewhere on the page one element is$/],
    ],
  ],
  [
    'is found twice where the words stand twice, and may have two of that name',
    `<ul><li>Brass lantern <button>Remove</button></li><li>Brass lantern <button>Remove</button></li>
     <li>Oil lamp <button>Remove</button> <button>Remove</button></li></ul>`,
    [
      [remove('Brass lantern'), /^ambiguous: 2 visible elements match in the part that the step names: /],
      [remove('Oil lamp'), /^ambiguous: 2 visible/],
    ],
  ],
  [
    'is looked for in shadow roots too, and hidden words name nothing',
    `<x-row name="Brass lantern" id=r1></x-row><x-row name="Pocket compass" id=r2></x-row>
     <div class=c><span style="display:none">Secret lamp</span><button>Remove</button></div>
     <script>customElements.define('x-row', class extends HTMLElement { connectedCallback() {
       this.attachShadow({ mode: 'open' }).innerHTML = '<p>' + this.getAttribute('name') + '</p><button id=' + this.id + 'b>Remove</button>' } })</script>`,
    [
      [remove('Brass lantern'), 'r1b'],
      [remove('Pocket compass'), 'r2b'],
      [remove('Secret lamp'), unsaid],
    ],
  ],
];

describe('the part of the page that a step names', () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage?.close());

  for (const [name, html, rows] of pages) {
    it(name, async () => {
      await using shown = await stage.show(`<!doctype html><body>${html}`);
      for (const [target, expected, purpose] of rows) {
        const actual = await found(shown.dom, target, purpose);
        if (typeof expected === 'string') assert.equal(actual, expected, JSON.stringify(target));
        else assert.match(actual, expected, JSON.stringify(target));
      }
    });
  }

  it('lies in the frame that the step names', async () => {
    await using shown = await stage.show({
      main: '<p>Brass lantern</p><iframe title=Basket src="{there}/frame"></iframe>',
      frame: '<ul><li>Brass lantern <button id=framed>Remove</button></li><li>Oil <button>Remove</button></li></ul>',
    });
    assert.equal(await found(shown.dom, { name: 'Remove', within: 'Brass lantern', frame: 'Basket' }), 'framed');
  });

  it('may come late', async () => {
    await using shown = await stage.show(`<ul><li>Oil <button>Remove</button></li></ul>
      <script>setTimeout(() => document.querySelector('ul').insertAdjacentHTML('beforeend', '<li>Late lamp <button id=late>Remove</button></li>'), 250)</script>`);
    assert.equal(await found(shown.dom, remove('Late lamp')), 'late');
  });
});
