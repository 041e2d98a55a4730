/// <reference lib="dom" />
// Elements of the page.

/** The element with this id. Throws if the page has none. */
export function element<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found as Kind;
}

/** A new element with a class, and with a text if there is one. */
export function make(tag: 'div' | 'span' | 'p' | 'li' | 'button', className: string, text = ''): HTMLElement {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

/** Sets the text only if it changes, so that a screen reader does not read it again. */
export function say(where: HTMLElement, text: string): void {
  if (where.textContent !== text) where.textContent = text;
}
