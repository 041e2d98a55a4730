// The class of an act, from the step and what the host knows of its element. Never from what a model says of itself, except that
// its `irreversible` makes the class stricter.

import type { ActClass } from '@pilothouse/contract';
import type { ActFacts, ElementFacts } from './facts.ts';
import { commitsBy, saysYes } from './words.ts';

export type Classified = { class: ActClass; why: string };

const as = (name: ActClass, why: string): Classified => ({ class: name, why });
/** A click there only changes what is shown. */
const showing = ['tab', 'treeitem', 'summary', 'disclosure'];
const fields = ['field', 'textbox', 'searchbox', 'text', 'date', 'time', 'number', 'email', 'tel', 'url', 'search'];

export function classify(facts: ActFacts): Classified {
  const found = ofAction(facts);
  if (facts.irreversible && changes(found.class)) return as('commit', 'the step says that it cannot be undone');
  return found;
}

const changes = (name: ActClass): boolean => name !== 'read' && name !== 'move' && name !== 'reach';

function ofAction(facts: ActFacts): Classified {
  const { element } = facts;
  switch (facts.action) {
    case 'extract':
    case 'screenshot':
    case 'wait':
    case 'scroll':
    case 'ask':
      return as('read', 'it only reads the page');
    case 'navigate':
    case 'new_page':
      return ofAddress(facts);
    case 'back':
    case 'forward':
    case 'reload':
    case 'close_page':
    case 'focus_page':
    case 'hover':
      return as('move', 'it changes which page is shown');
    case 'type':
      if (element?.secret) return as('credential', 'it writes into a field for secrets');
      return ofCarrying(facts) ?? as('write', 'it writes into a field');
    case 'drag':
      return commitsBy(facts.onto?.name ?? '')
        ? as('commit', 'the words on what it is dropped on commit to something')
        : ofField(element);
    case 'select':
      return ofChoosing(facts);
    case 'check':
      return ofField(element);
    case 'upload':
      return as('upload', 'it gives a file to the page');
    case 'download':
      return as('download', 'it takes a file from the page');
    case 'answer_dialog':
      return ofDialog(facts);
    case 'press':
      return ofKey(facts);
    case 'click':
    case 'double_click':
      return element ? ofClick(element, facts.goes_to) : as('write', 'it clicks on something that is not known');
  }
}

/** The words of a label in a form say what is chosen; those of a control outside of one, what it does at once. */
const ofField = (element: ElementFacts | undefined): Classified =>
  element && commitsBy(element.name) && !element.form
    ? as('commit', 'the words on it commit to something')
    : as('write', 'it changes a field of the page');

/** Words that one site showed go to another. */
function ofCarrying({ shown_at, goes_to = [] }: ActFacts): Classified | undefined {
  const other = shown_at && goes_to.find((host) => !shown_at.includes(host));
  return other === undefined
    ? undefined
    : as('reach', `it takes words that ${shown_at?.join(', ')} showed to ${other}`);
}

/** Outside of a form a list may act by itself. */
function ofChoosing(facts: ActFacts): Classified {
  const { element, option = '' } = facts;
  if (!element?.form && commitsBy(option)) return as('commit', 'the words of the option commit to something');
  return ofCarrying(facts) ?? ofField(element);
}

function ofAddress({ to_origin, known_origins, link_names }: ActFacts): Classified {
  // An address without a host, such as an empty page, reaches nobody.
  const isKnown =
    !known_origins || !to_origin || to_origin === 'null' || known_origins.some((one) => one === to_origin);
  if (!isKnown) return as('reach', 'it goes to a site that neither a person nor a page of this task named');
  if (link_names?.some(commitsBy)) return as('commit', 'the words of the link with this address commit to something');
  return link_names?.length === 0
    ? as('reach', 'it opens an address that neither a person gave nor the page links to')
    : as('move', 'it changes which page is shown');
}

function ofDialog(facts: ActFacts): Classified {
  const { dialog } = facts;
  if (!dialog?.accept) return as('move', 'it dismisses a dialog');
  if (commitsBy(dialog.message)) return as('commit', 'it says yes to a dialog whose words commit to something');
  return ofCarrying(facts) ?? as('dialog', 'it says yes to a dialog');
}

function ofKey({ key, element, goes_to }: ActFacts): Classified {
  // Outside of a field it deletes what is chosen.
  if (/(^|\+)(Delete|Backspace)$/.test(key ?? '') && !fields.includes(element?.role ?? ''))
    return as('commit', 'it presses the key that deletes');
  const isSending = key === 'Enter' || key?.endsWith('+Enter') === true;
  const isPressing = isSending || key === 'Space' || key === ' ';
  if (!element || !isPressing) return as('write', 'it presses a key');
  // A key on a control is a click; in a field Enter sends the form.
  if (!fields.includes(element.role)) return ofClick(element, goes_to);
  if (!isSending || !element.form) return as('write', 'it presses a key in a field');
  return ofSending(element.form, goes_to);
}

function ofSending(form: NonNullable<ElementFacts['form']>, goes_to: ActFacts['goes_to']): Classified {
  const { method, has_card, send_names } = form;
  if (has_card) return as('commit', 'it sends a form with a payment card');
  if (send_names.some(commitsBy)) return as('commit', 'it sends a form whose button commits to something');
  if (method !== 'get') return as('submit', 'it sends a form');
  // A search tells another site what is in its fields, as every form does.
  return new Set(goes_to).size > 1 ? as('submit', 'it sends a form to another site') : as('move', 'it asks for a page');
}

function ofClick(element: ElementFacts, goes_to: ActFacts['goes_to']): Classified {
  const { name, role, submits, form, dialog_words, download, href_origin } = element;
  if (commitsBy(name)) return as('commit', 'the words on it commit to something');
  if (dialog_words && saysYes(name) && commitsBy(dialog_words))
    return as('commit', 'it says yes to a dialog whose words commit to something');
  if (download) return as('download', 'it takes a file from the page');
  if (submits && form) return ofSending({ ...form, send_names: [] }, goes_to);
  if (submits) return as('submit', 'it sends a form');
  if (href_origin !== null || showing.includes(role)) return as('move', 'it changes what is shown');
  return as('write', 'it presses or changes a control of the page');
}
