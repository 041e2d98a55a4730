/// <reference lib="dom" />
// Runs in the page. Types a secret into a field of this document, or nowhere: the origin is checked, the field covered and the text
// typed in one task, and what the field holds is never answered.

import type { Fields } from './field-events.ts';
import type { ShownSecrets } from './shown-secrets.ts';

declare const fieldsOfPilothouse: Fields | undefined;
declare const shownSecretsOfPilothouse: ShownSecrets | undefined;

export type SecretTyped =
  | 'done'
  /** Not done: this document, or one around it, is of another origin. */
  | 'wrong_origin'
  /** Not done: nothing can be typed there. */
  | 'fixed'
  /** Not done: the field cannot be covered. */
  | 'uncovered'
  /** Not done: something else took the focus. */
  | 'focus_taken'
  /** The field holds something else. */
  | 'other_value';

/** Stands alone, because only its text is sent. */
export function typeSecret(element: Element, { value, origins }: { value: string; origins: string[] }): SecretTyped {
  const active = Object.getOwnPropertyDescriptor(Document.prototype, 'activeElement')?.get;
  const fixed = ['checkbox', 'radio', 'button', 'submit', 'reset', 'image', 'file', 'hidden', 'color', 'range'];

  function activeElement(): Element | null {
    let inner: Element | null = active?.call(document);
    while (inner?.shadowRoot?.activeElement) inner = inner.shadowRoot.activeElement;
    return inner;
  }

  /** A document of no address of its own has the origin of another, or none. */
  function isHere(): boolean {
    if (location.protocol !== 'https:' && location.protocol !== 'http:') return false;
    if (self.origin !== location.origin) return false;
    return [location.origin, ...location.ancestorOrigins].every((one) => origins.includes(one));
  }

  if (!isHere()) return 'wrong_origin';
  const field: unknown = ('control' in element ? element.control : undefined) ?? element;
  const isText =
    field instanceof HTMLTextAreaElement || (field instanceof HTMLInputElement && !fixed.includes(field.type));
  if (!isText || field.readOnly || field.disabled || !field.isConnected) return 'fixed';
  if (typeof shownSecretsOfPilothouse === 'undefined' || typeof fieldsOfPilothouse === 'undefined') return 'uncovered';
  shownSecretsOfPilothouse.cover(field);
  if (activeElement() !== field) field.focus();
  field.select();
  if (activeElement() !== field) return 'focus_taken';
  fieldsOfPilothouse.byHand(() => {
    const init = { bubbles: true, cancelable: true, composed: true, view: window };
    const before = new InputEvent('beforeinput', { ...init, inputType: 'insertText', data: value });
    if (field.dispatchEvent(before)) Document.prototype.execCommand.call(document, 'insertText', false, value);
  });
  return field.value === value ? 'done' : 'other_value';
}
