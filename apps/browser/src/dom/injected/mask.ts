// Hides what is secret from pictures: the browser draws dots in place of it, from the first moment of a document.
// One long function, because its text is sent.

import type { Dom } from './element/safe-dom.ts';
import type { Secrets } from './element/secrets.ts';

export type Mask = ReturnType<typeof createMask>;

export function createMask(dom: Dom, secrets: Secrets) {
  const checkMs = 250;
  const property = '-webkit-text-security';
  const watched = ['autocomplete', 'name', 'id', 'type', 'placeholder', 'aria-label', 'style'];
  const sheets = Object.getOwnPropertyDescriptor(Document.prototype, 'adoptedStyleSheets');
  const shadowSheets = Object.getOwnPropertyDescriptor(ShadowRoot.prototype, 'adoptedStyleSheets');
  const queryAll = (root: Document | DocumentFragment | Element, selector: string): Iterable<Element> => {
    const holder = root instanceof Document ? Document : root instanceof Element ? Element : DocumentFragment;
    return Reflect.apply(holder.prototype.querySelectorAll, root, [selector]);
  };

  const sheet = new CSSStyleSheet();
  const named = [
    'cardnumber',
    'card-number',
    'card_number',
    'ccnum',
    'cc-num',
    'cc_num',
    'cvc',
    'cvv',
    'cc-exp',
    'ccexp',
  ];
  const selectors = [
    '[autocomplete^="cc-" i]',
    '[autocomplete*=" cc-" i]',
    '[autocomplete~="current-password" i]',
    '[autocomplete~="new-password" i]',
    ...named.flatMap((word) => [`[name*="${word}" i]`, `[id*="${word}" i]`]),
  ];
  sheet.replaceSync(`:is(input, textarea):is(${selectors.join(', ')}) { ${property}: disc !important }`);

  const hidden = new Set<WeakRef<HTMLElement>>();
  const isHidden = new WeakSet<Element>();
  const roots = new Set<Document | ShadowRoot>();
  const observer = new MutationObserver(onChange);

  const styles = Object.getOwnPropertyDescriptor(HTMLElement.prototype, 'style');

  /** What the sheet does not know gets the style by itself, once and for good. */
  function hide(element: HTMLElement): void {
    if (!isHidden.has(element)) hidden.add(new WeakRef(element));
    isHidden.add(element);
    const style: CSSStyleDeclaration = styles?.get?.call(element);
    if (style.getPropertyValue(property) !== 'disc') style.setProperty(property, 'disc', 'important');
  }

  function examine(element: Element): void {
    if (!secrets.isField(element) || isHidden.has(element)) return;
    if (element instanceof HTMLInputElement && element.type === 'password') return;
    if (selectors.some((selector) => dom.matches(element, selector))) return;
    if (secrets.isSecretField(element) || secrets.isCardNumber(element.value)) hide(element);
  }

  const fieldsIn = (root: Document | DocumentFragment | Element) => queryAll(root, 'input, textarea');

  /** The sheet may be lost where the page sets its own list of sheets. */
  function adopt(root: Document | ShadowRoot): void {
    const list = root instanceof ShadowRoot ? shadowSheets : sheets;
    const adopted: CSSStyleSheet[] = [...(list?.get?.call(root) ?? [])];
    if (!adopted.includes(sheet)) list?.set?.call(root, [...adopted, sheet]);
  }

  function watch(root: Document | ShadowRoot): void {
    if (roots.has(root)) return;
    roots.add(root);
    adopt(root);
    observer.observe(root, { subtree: true, childList: true, attributeFilter: watched, attributeOldValue: true });
    for (const field of fieldsIn(root)) examine(field);
  }

  function enter(element: Element): void {
    const shadow = dom.shadowRoot(element);
    if (shadow) watch(shadow);
    examine(element);
  }

  /** Called before the browser draws what has changed. */
  function onChange(records: MutationRecord[]): void {
    // Nodes are told of one by one, also where one was put into the other: each is looked at once.
    const seen = new Set<Node>();
    for (const { type, target, addedNodes, attributeName, oldValue } of records) {
      if (type === 'childList') {
        for (const node of addedNodes) {
          if (!dom.isElement(node) || seen.has(node)) continue;
          for (const element of dom.all(node)) {
            seen.add(element);
            enter(element);
          }
        }
      } else if (target instanceof HTMLElement) {
        // A password that the page shows in clear is still one.
        if (attributeName === 'type' && oldValue === 'password') hide(target);
        else if (isHidden.has(target)) hide(target);
        else examine(target);
      }
    }
  }

  /** Values set by a script make no event. */
  function check(): void {
    for (const root of roots) {
      if (root instanceof ShadowRoot && !root.isConnected) {
        roots.delete(root);
        continue;
      }
      adopt(root);
      for (const field of fieldsIn(root)) {
        if (secrets.isField(field) && !isHidden.has(field) && secrets.isCardNumber(field.value)) examine(field);
      }
    }
    for (const one of hidden) {
      const element = one.deref();
      if (element) hide(element);
      else hidden.delete(one);
    }
  }

  let nextWalk = 0;
  /** Shadow roots appear without an event either. The larger the page, the rarer the walk. */
  function walk(): void {
    const begun = performance.now();
    for (const element of dom.all()) enter(element);
    nextWalk = performance.now() + (performance.now() - begun) * 100;
  }

  /** The page may have a style that outdoes our sheet. */
  function ensure(element: Element): void {
    if (!secrets.isField(element)) return;
    if (getComputedStyle(element).getPropertyValue(property) !== 'disc') hide(element);
  }

  function onEvent(event: Event): void {
    const [target] = event.composedPath();
    if (target instanceof Element) examine(target);
  }

  function start(): void {
    watch(document);
    for (const name of ['input', 'change', 'focusin'])
      addEventListener(name, onEvent, { capture: true, passive: true });
    for (const name of ['DOMContentLoaded', 'load']) addEventListener(name, walk);
    setInterval(() => {
      check();
      if (performance.now() >= nextWalk) walk();
    }, checkMs);
    walk();
  }

  return { start, hide, ensure };
}
