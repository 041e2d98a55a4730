/// <reference lib="dom" />

/** The element of the page with this id, which the page has. */
export function element<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found as Kind;
}

/** A new element with a class and, where given, a text. */
export function make(tag: 'div' | 'span' | 'p' | 'li', className: string, text = ''): HTMLElement {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

/** Sets the text only where it changes, so that a screen reader is not told the same again. */
export function say(where: HTMLElement, text: string): void {
  if (where.textContent !== text) where.textContent = text;
}
