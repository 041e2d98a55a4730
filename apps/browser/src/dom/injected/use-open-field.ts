// Chooses an option of the open list, or sets the value of the input that is picked from, and tells the page as a browser
// does. One long function, because its text is sent.

import type { Fields } from './field-events.ts';

export type FieldUse = { option: number | null } | { value: string };
/** `isOpen`: its list or picker is still open. */
export type FieldUsed = { outcome: 'done' | 'gone' | 'refused'; isOpen: boolean };

declare const fieldsOfPilothouse: Fields | undefined;

export function useOpenField(number: number, use: FieldUse): FieldUsed {
  const known = globalThis.openFieldOfPilothouse;
  const element = known?.number === number ? known.element.deref() : undefined;
  const gone: FieldUsed = { outcome: 'gone', isOpen: false };
  if (!element?.isConnected) return gone;
  const isOpen = () => element.matches(':open');

  function tellPage(field: Element): void {
    field.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    field.dispatchEvent(new Event('change', { bubbles: true }));
  }
  /** What is told now counts as a person's. */
  function byHand(work: () => void): void {
    if (typeof fieldsOfPilothouse === 'undefined') work();
    else fieldsOfPilothouse.byHand(work);
  }

  if (element instanceof HTMLSelectElement && 'option' in use) {
    if (!isOpen()) return gone;
    if (use.option === null) return { outcome: 'done', isOpen: true };
    const option = element.options[use.option];
    const isDisabled = option?.disabled || option?.closest('optgroup')?.disabled;
    if (!option || isDisabled) return { outcome: 'refused', isOpen: true };
    if (element.selectedIndex !== use.option) {
      element.selectedIndex = use.option;
      byHand(() => tellPage(element));
    }
    return { outcome: 'done', isOpen: isOpen() };
  }
  if (!(element instanceof HTMLInputElement) || !('value' in use)) return gone;
  if (element.disabled || element.readOnly) return { outcome: 'refused', isOpen: isOpen() };
  const before = element.value;
  element.value = use.value;
  // A browser makes nothing of a value in a wrong form, and black of a wrong colour.
  if (element.value.toLowerCase() !== use.value.toLowerCase()) {
    element.value = before;
    return { outcome: 'refused', isOpen: isOpen() };
  }
  if (element.value !== before) byHand(() => tellPage(element));
  return { outcome: 'done', isOpen: isOpen() };
}
