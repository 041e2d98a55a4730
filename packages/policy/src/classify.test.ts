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

const post = { method: 'post', has_card: false, send_names: ['Save'] };
const get = { method: 'get', has_card: false, send_names: ['Search'] };
const elsewhere = { goes_to: ['a.example', 'b.example'] };
const carried = { shown_at: ['bank.example'], goes_to: ['shop.example'] };
const typed: ActFacts = click({ role: 'field', form: post }, { action: 'type' });
const opened: ActFacts = {
  ...click(),
  action: 'navigate',
  to_origin: 'https://shop.example',
  known_origins: ['https://shop.example'],
};
const answered: ActFacts = { ...click(), action: 'answer_dialog' };
const choose = (option: string, more: Partial<ElementFacts> = {}, rest: Partial<ActFacts> = {}): ActFacts =>
  click({ role: 'select', name: 'More', ...more }, { action: 'select', option, ...rest });
const press = (key: string, more: Partial<ElementFacts> = {}, rest: Partial<ActFacts> = {}): ActFacts =>
  click(more, { action: 'press', key, ...rest });

type Row = [what: string, facts: ActFacts, is: string];
const cases: Row[] = [
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
  ['a drop on what is not known', { ...click({ name: 'Delete' }), action: 'drag' }, 'commit'],
  [
    'a box that does it at once',
    click({ role: 'checkbox', name: 'Publish my address' }, { action: 'check' }),
    'commit',
  ],
  [
    'a box of a form',
    click({ role: 'checkbox', name: 'Publish my address', form: post }, { action: 'check' }),
    'write',
  ],
  ['a harmless box', click({ role: 'checkbox', name: 'Show hours' }, { action: 'check' }), 'write'],
  ['a box that is not known', { ...click(), element: undefined, action: 'check' }, 'write'],
  ['a search of this site', click({ submits: true, form: get }, { goes_to: ['a.example', 'a.example'] }), 'move'],
  ['a search of another site', click({ submits: true, form: get }, { goes_to: ['a.example', 'b.example'] }), 'submit'],
  ['Enter in a search of another site', press('Enter', { role: 'field', form: get }, elsewhere), 'submit'],
  ['Enter on a button of such a search', press('Enter', { submits: true, form: get }, elsewhere), 'submit'],
  ['a form that is posted to another site', click({ submits: true, form: post }, elsewhere), 'submit'],
  ['a link beside such a search', click({ href_origin: 'https://a.example', form: get }, elsewhere), 'move'],
  ['an option that does it at once', choose('Delete the account'), 'commit'],
  ['an option of a form', choose('Delete the account', { form: post }), 'write'],
  ['a harmless option', choose('Opening hours'), 'write'],
  ['an option of a list that says so itself', choose('Now', { name: 'Delete' }), 'commit'],
  ['an option that another site showed', choose('4402', { form: post }, carried), 'reach'],
  ['words that another site showed', { ...typed, ...carried }, 'reach'],
  [
    'words for two sites, of which one is another',
    { ...typed, shown_at: ['a.example'], goes_to: ['a.example', 'b.example'] },
    'reach',
  ],
  ['words that the same site showed', { ...typed, shown_at: ['shop.example'], goes_to: ['shop.example'] }, 'write'],
  ['words that people gave', { ...typed, goes_to: ['shop.example'] }, 'write'],
  ['words that go nowhere', { ...typed, shown_at: ['bank.example'] }, 'write'],
  [
    'a password that another site showed',
    { ...typed, ...carried, element: { ...element, secret: true } },
    'credential',
  ],
  ['a text into what is not known', { ...typed, element: undefined }, 'write'],
  ['an address that no page links to', { ...opened, link_names: [] }, 'reach'],
  ['the address of a link', { ...opened, link_names: ['Opening hours'] }, 'move'],
  ['the address of a link that deletes', { ...opened, link_names: ['Hours', 'Delete account'] }, 'commit'],
  ['a linked address of an unknown site', { ...opened, known_origins: [], link_names: ['Hours'] }, 'reach'],
  ['a new page without an address', { ...click(), action: 'new_page', known_origins: [] }, 'move'],
  ['yes to a dialog', { ...answered, dialog: { message: 'Show hours?', accept: true } }, 'dialog'],
  ['yes to a dialog that deletes everything', { ...answered, dialog: { message: 'Delete?', accept: true } }, 'commit'],
  [
    'words of another site for a dialog',
    { ...answered, ...carried, dialog: { message: 'Town?', accept: true } },
    'reach',
  ],
  ['no dialog at all', answered, 'move'],
  ['the key that deletes', press('Delete', { role: 'option' }), 'commit'],
  ['with another key', press('Shift+Delete', { role: 'option' }), 'commit'],
  ['the other key that deletes', press('Backspace', { role: 'option' }), 'commit'],
  ['on the page itself', { ...press('Delete'), element: undefined }, 'commit'],
  ['in a field it takes a letter away', press('Delete', { role: 'field' }), 'write'],
  ['a key that only ends like it', press('NoDelete', { role: 'option' }), 'write'],
  ['Enter on the page itself', { ...press('Enter'), element: undefined }, 'write'],
  ['no key at all', { ...click({ name: 'Send' }), action: 'press' }, 'write'],
  ['a letter on a button', press('a', { name: 'Send' }), 'write'],
  ['Space on a button', press('Space', { name: 'Send' }), 'commit'],
  ['the same as a letter', press(' ', { name: 'Send' }), 'commit'],
  ['Space in a field', press('Space', { role: 'field', form: { ...post, send_names: ['Send'] } }), 'write'],
  ['Enter in a field without a form', press('Enter', { role: 'field' }), 'write'],
  [
    'Enter with another key',
    press('Control+Enter', { role: 'field', form: { ...post, send_names: ['Send'] } }),
    'commit',
  ],
  ['Enter in a form that is sent', press('Enter', { role: 'field', form: post }), 'submit'],
  ['a button that sends', click({ submits: true, form: post }), 'submit'],
  ['a button that sends a search', click({ submits: true, form: { ...post, method: 'get' } }), 'move'],
  ['a button that sends no form', click({ submits: true }), 'submit'],
  ['a mild button beside one that commits', click({ submits: true, form: { ...post, send_names: ['Pay'] } }), 'submit'],
  ['a click on what is not known', { ...click(), element: undefined }, 'write'],
  ['two clicks', click({ name: 'Pay now' }, { action: 'double_click' }), 'commit'],
  ['a link', click({ role: 'link', name: 'Home', href_origin: 'https://shop.example' }), 'move'],
  ['moving, whatever the step says', { ...opened, irreversible: true }, 'move'],
  ['reaching, whatever the step says', { ...opened, link_names: [], irreversible: true }, 'reach'],
  ...(['tab', 'treeitem', 'summary', 'disclosure'].map((role) => [
    `what only shows: ${role}`,
    click({ role }),
    'move',
  ]) as Row[]),
  ...(['field', 'textbox', 'searchbox', 'text', 'date', 'time', 'number', 'email', 'tel', 'url', 'search'].map(
    (role) => [`Enter in a field: ${role}`, press('Enter', { role, name: 'Pay', form: post }), 'submit'],
  ) as Row[]),
  ...(['extract', 'screenshot', 'wait', 'scroll', 'ask'].map((action) => [
    action,
    { ...click(), action },
    'read',
  ]) as Row[]),
  ...(['back', 'forward', 'reload', 'close_page', 'focus_page', 'hover', 'navigate', 'new_page'].map((action) => [
    action,
    { ...click(), action },
    'move',
  ]) as Row[]),
  ['a download', { ...click(), action: 'download' }, 'download'],
  ['letters that nobody sees do not hide a word', click({ name: 'De\u200blete' }), 'commit'],
  ['nor do wide letters', click({ name: 'Ｄｅｌｅｔｅ' }), 'commit'],
  ['a word is not found in another', click({ name: 'Display payload' }), 'write'],
];

describe('the class of an act', () => {
  for (const [what, facts, is] of cases)
    it(`${is}: ${what}`, () => {
      const { class: found, why } = classify(facts);
      assert.equal(found, is);
      // It is the end of a sentence that people read.
      assert.match(why, /^(it|the) [a-z].*[^.]$/);
    });

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
