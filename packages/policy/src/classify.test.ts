import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { actClasses } from '@pilothouse/contract';
import { labelledActs } from '../testing/labelled-acts.ts';
import { type ActFacts, classify, type ElementFacts } from './index.ts';

const element: ElementFacts = {
  role: 'button',
  name: 'Next',
  tag: 'button',
  type: 'button',
  submits: false,
  secret: false,
  download: false,
  href_origin: null,
  form: null,
  dialog_words: '',
};
const click = (more: Partial<ElementFacts> = {}, rest: Partial<ActFacts> = {}): ActFacts => ({
  action: 'click',
  page_origin: 'https://shop.example',
  irreversible: false,
  element: { ...element, ...more },
  ...rest,
});
const card = { method: 'post', has_card: true, send_names: ['Next'] };

const cases: [what: string, facts: ActFacts, is: string][] = [
  ['a form with a card is committed to, whatever its button says', click({ submits: true, form: card }), 'commit'],
  [
    'also by Enter in one of its fields',
    click({ role: 'field', form: card }, { action: 'press', key: 'Enter' }),
    'commit',
  ],
  [
    'Enter in a search',
    click({ role: 'field', form: { ...card, method: 'get', has_card: false } }, { action: 'press', key: 'Enter' }),
    'move',
  ],
  ['Enter on a button is a click', click({ name: 'Delete' }, { action: 'press', key: 'Enter' }), 'commit'],
  ['another key in a field', click({ role: 'field', form: card }, { action: 'press', key: 'a' }), 'write'],
  ['yes to a dialog that deletes', click({ name: 'OK', dialog_words: 'Delete 3 files?' }), 'commit'],
  ['no to a dialog that deletes', click({ name: 'Keep them', dialog_words: 'Delete 3 files?' }), 'write'],
  ['yes to a harmless dialog', click({ name: 'OK', dialog_words: 'Your changes are kept.' }), 'write'],
  [
    'a dialog that is dismissed',
    { ...click(), action: 'answer_dialog', dialog: { message: 'Delete?', accept: false } },
    'move',
  ],
  ['a password', click({ role: 'field', secret: true }, { action: 'type' }), 'credential'],
  ['a text', click({ role: 'field' }, { action: 'type' }), 'write'],
  ['a file for the page', click({}, { action: 'upload' }), 'upload'],
  ['a link to a file', click({ role: 'link', download: true, href_origin: 'https://shop.example' }), 'download'],
  ['a step that cannot be undone', click({}, { irreversible: true }), 'commit'],
  ['reading stays reading, whatever the step says', click({}, { action: 'extract', irreversible: true }), 'read'],
  [
    'an address that neither a person nor a page named',
    { ...click(), action: 'navigate', to_origin: 'https://evil.example', known_origins: ['https://shop.example'] },
    'reach',
  ],
  [
    'a known address on another port',
    { ...click(), action: 'new_page', to_origin: 'https://shop.example:8443', known_origins: ['https://shop.example'] },
    'reach',
  ],
  [
    'an address that is known',
    { ...click(), action: 'navigate', to_origin: 'https://shop.example', known_origins: ['https://shop.example'] },
    'move',
  ],
  ['an address in a step of a person', { ...click(), action: 'navigate', to_origin: 'https://a.example' }, 'move'],
  ['an empty page', { ...click(), action: 'new_page', to_origin: 'null', known_origins: [] }, 'move'],
  ['a drop on what deletes', { ...click(), action: 'drag', onto: { name: 'Delete' } }, 'commit'],
  ['a drop elsewhere', { ...click(), action: 'drag', onto: { name: 'Done' } }, 'write'],
  ['letters that nobody sees do not hide a word', click({ name: 'De\u200blete' }), 'commit'],
  ['nor do wide letters', click({ name: 'Ｄｅｌｅｔｅ' }), 'commit'],
  ['a word is not found in another', click({ name: 'Display payload' }), 'write'],
];

describe('the class of an act', () => {
  for (const [what, facts, is] of cases) it(`${is}: ${what}`, () => assert.equal(classify(facts).class, is));

  it('is never milder than people call it, and seldom stricter, in 12 languages', () => {
    const rank = (name: string) => actClasses.indexOf(name as (typeof actClasses)[number]);
    const judged = labelledActs.map((one) => ({ ...one, got: classify(one.facts).class }));
    const milder = judged.filter(({ is, got }) => rank(got) < rank(is));
    const stricter = judged.filter(({ is, got }) => rank(got) > rank(is));
    const told = (list: typeof judged) =>
      list.map(({ language, what, is, got }) => `${language} ${what}: ${got}, not ${is}`);
    assert.ok(judged.length >= 150, `${judged.length}`);
    assert.equal(new Set(judged.map(({ language }) => language)).size, 12);
    assert.deepEqual(told(milder), []);
    assert.ok(stricter.length <= 0.03 * judged.length, told(stricter).join('\n'));
    console.log(`${judged.length} acts: ${milder.length} milder, ${stricter.length} stricter than labelled`);
  });
});
