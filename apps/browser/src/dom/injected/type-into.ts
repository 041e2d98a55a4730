/// <reference lib="dom" />
// Runs in the page. What is typed goes into a field of this document, or nowhere: the field takes the focus and gets the
// text in one task, and between the two no other document can take it. Text that is sent to the browser instead goes to
// whatever has the focus by then, also to the frame of another site.

import type { Fields } from './field-events.ts';
import type { Gestures } from './gestures.ts';

declare const gesturesOfPilothouse: Gestures | undefined;
declare const fieldsOfPilothouse: Fields | undefined;

export type Typed = {
  text: string;
  /** `replace`: in place of everything that the field holds. `paste`: the page may take it apart itself. */
  how: 'replace' | 'insert' | 'paste';
  /** The key that types it, for the page to be told of. */
  key?: KeyboardEventInit;
};

export type TypedInto = {
  /**
   * `done`: it was put in, or the page dealt with it. `fixed`: nothing can be typed there. `elsewhere`: this document
   * does not have the focus, and which of its fields should is not known. `no_field`: what has the focus is no text.
   */
  outcome: 'done' | 'fixed' | 'elsewhere' | 'no_field';
  kind: 'text' | 'rich' | 'chosen';
  /** Whether the field still has the focus afterwards. */
  isFocused: boolean;
};

/**
 * `element`: the field, or a label of it. Null: the field of this document that has the focus, or had it last where
 * another document took it. Stands alone, because only its text is sent.
 */
export function typeInto(element: Element | null, { text, how, key }: Typed): TypedInto {
  // A page may call a form or an image like a method of the document.
  const active = Object.getOwnPropertyDescriptor(Document.prototype, 'activeElement')?.get;
  const execCommand = Document.prototype.execCommand;
  const chosen = ['color', 'date', 'time', 'datetime-local', 'month', 'range', 'week'];
  const fixed = ['checkbox', 'radio', 'button', 'submit', 'reset', 'image', 'file', 'hidden'];

  const frames = ['iframe', 'frame', 'object', 'embed', 'fencedframe'];
  const isFrame = (one: Element | null) => one !== null && frames.includes(one.localName);

  function activeElement(): Element | null {
    let inner: Element | null = active?.call(document);
    while (inner?.shadowRoot?.activeElement) inner = inner.shadowRoot.activeElement;
    return inner;
  }

  function kindOf(field: unknown): TypedInto['kind'] | 'fixed' {
    if (field instanceof HTMLInputElement) {
      if (fixed.includes(field.type) || field.readOnly) return 'fixed';
      return chosen.includes(field.type) ? 'chosen' : 'text';
    }
    if (field instanceof HTMLTextAreaElement) return field.readOnly ? 'fixed' : 'text';
    return field instanceof HTMLElement && field.isContentEditable ? 'rich' : 'fixed';
  }

  function selectAll(field: HTMLElement): void {
    if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) return void field.select();
    const range = document.createRange();
    range.selectNodeContents(field);
    const selection = getSelection();
    selection?.removeAllRanges();
    selection?.addRange(range);
  }

  /** Fields whose value is chosen take no text; the page is told as if it were. */
  function setValue(field: HTMLInputElement): void {
    field.value = text;
    field.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    field.dispatchEvent(new Event('change', { bubbles: true }));
  }

  /** Chromium tells of the `input` by itself, and not of what comes before it: editors that write by themselves ask for that. */
  function insert(field: Element): void {
    const data = text.toWellFormed();
    const inputType = data === '' ? 'deleteContentForward' : 'insertText';
    const init = { bubbles: true, cancelable: true, composed: true, view: window };
    const before = new InputEvent('beforeinput', { ...init, inputType, data: data === '' ? null : data });
    if (!field.dispatchEvent(before)) return;
    if (data === '') execCommand.call(document, 'forwardDelete');
    else execCommand.call(document, 'insertText', false, data);
  }

  function paste(field: Element): void {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', text);
    const init = { bubbles: true, cancelable: true, composed: true };
    if (field.dispatchEvent(new ClipboardEvent('paste', { ...init, clipboardData }))) insert(field);
  }

  function strike(field: Element, init: KeyboardEventInit): void {
    const event = (type: string) =>
      new KeyboardEvent(type, { ...init, bubbles: true, cancelable: true, composed: true, view: window });
    if (field.dispatchEvent(event('keydown')) && field.dispatchEvent(event('keypress'))) insert(field);
    (activeElement() ?? field).dispatchEvent(event('keyup'));
  }

  const named: unknown = element && (('control' in element ? element.control : undefined) ?? element);
  const had = activeElement();
  const isElsewhere = !document.hasFocus() || had === null || isFrame(had);
  const last = typeof gesturesOfPilothouse === 'undefined' ? undefined : gesturesOfPilothouse.focused();
  const field = named ?? (isElsewhere ? last : had);
  const kind = kindOf(field);
  const answer = (outcome: TypedInto['outcome']): TypedInto => ({
    outcome,
    kind: kind === 'fixed' ? 'text' : kind,
    isFocused: document.hasFocus() && activeElement() === field,
  });

  if (named === null && isElsewhere && (kind === 'fixed' || !last?.isConnected)) return answer('elsewhere');
  if (kind === 'fixed' && named !== null) return answer('fixed');
  // What is chosen is chosen by keys too, and only by those of the browser.
  if ((kind === 'fixed' || kind === 'chosen') && key) return answer('no_field');
  if (!(field instanceof HTMLElement)) return answer('no_field');
  if (field !== had) field.focus();
  if (how === 'replace' && kind === 'chosen' && field instanceof HTMLInputElement) {
    setValue(field);
    return answer('done');
  }
  if (how === 'replace') selectAll(field);
  // The page may have passed the focus on, to another field of its own.
  const now = activeElement();
  const target = now && !isFrame(now) ? now : field;
  const put = () => {
    if (key) strike(target, key);
    else if (how === 'paste') paste(target);
    else insert(target);
  };
  // Events of ours do not count as a hand's, unless we say so.
  if (typeof fieldsOfPilothouse === 'undefined') put();
  else fieldsOfPilothouse.byHand(put);
  return answer('done');
}
