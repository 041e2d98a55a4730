/// <reference lib="dom" />
// Covers what shows a secret value that was typed in this session: text, attributes and fields, before it is drawn. Knows only
// fingerprints of values, so that no document learns a value it does not have. One long function, because its text is sent.

import type { Dom } from './element/safe-dom.ts';
import type { Secrets } from './element/secrets.ts';
import type { Mask } from './mask.ts';

/** Of values in lower case, by their length. */
export type Fingerprints = { seeds: [number, number]; byLength: [length: number, prints: string[]][] };
export type ShownSecrets = ReturnType<typeof createShownSecrets>;

export function createShownSecrets(dom: Dom, secrets: Secrets, mask: Pick<Mask, 'hide'>) {
  const checkMs = 250;
  /** After something happened, fields are looked at before each picture: a value set by a script makes no event. */
  const alertMs = 5000;
  const maxChars = 2_000_000;
  const text = dom.textOf;
  const fieldsIn = (root: Document | ShadowRoot): Iterable<Element> => {
    const holder = root instanceof Document ? Document : DocumentFragment;
    return Reflect.apply(holder.prototype.querySelectorAll, root, ['input, textarea, select']);
  };
  const observer = new MutationObserver(onChange);
  const roots = new Set<Document | ShadowRoot>();
  let known: Fingerprints = { seeds: [1, 1], byLength: [] };
  let alertUntil = 0;
  let isTicking = false;

  /** Whether one of the values is part of the text, by two rolling sums over it. */
  function shows(said: string): boolean {
    const lower = said.slice(0, maxChars).toLowerCase();
    const [s, t] = known.seeds;
    return known.byLength.some(([length, prints]) => {
      if (lower.length < length) return false;
      let [a, b, powS, powT] = [0, 0, 1, 1];
      for (let i = 0; i < lower.length; i += 1) {
        const sign = lower.charCodeAt(i);
        a = (Math.imul(a, s) + sign) | 0;
        b = (Math.imul(b, t) + sign) | 0;
        if (i < length) {
          powS = Math.imul(powS, s);
          powT = Math.imul(powT, t);
        } else {
          const gone = lower.charCodeAt(i - length);
          a = (a - Math.imul(gone, powS)) | 0;
          b = (b - Math.imul(gone, powT)) | 0;
        }
        if (i >= length - 1 && prints.includes(`${a} ${b}`)) return true;
      }
      return false;
    });
  }

  /** What is no element of HTML is covered by the nearest one around it; the shown part of a list is drawn by the list. */
  function cover(element: Element): void {
    for (let one: Element | null = element; one; one = dom.parent(one))
      if (one instanceof HTMLElement) {
        mask.hide(one);
        break;
      }
    if (element instanceof HTMLOptionElement) {
      const list = dom.parent(element);
      const owner = list instanceof HTMLOptGroupElement ? dom.parent(list) : list;
      if (owner instanceof HTMLElement) mask.hide(owner);
    }
  }

  /** The innermost elements that hold a whole value, which may be spread over several of their nodes. */
  function coverText(element: Element): void {
    if (!shows(text(element))) return;
    let isInner = false;
    let isDirect = false;
    dom.eachChild(element, (node) => {
      if (!shows(text(node))) return;
      if (dom.isElement(node)) {
        isInner = true;
        coverText(node);
      } else isDirect = true;
    });
    if (!isInner || isDirect) cover(element);
  }

  function coverAttributes(element: Element): void {
    const names = dom.attributeNames(element).filter((name) => name !== 'style');
    if (names.some((name) => shows(dom.attribute(element, name) ?? ''))) cover(element);
  }

  function coverFields(): void {
    for (const root of roots)
      for (const field of fieldsIn(root))
        if ((secrets.isField(field) || field instanceof HTMLSelectElement) && shows(field.value)) cover(field);
  }

  function coverRoot(root: Document | ShadowRoot): void {
    const top = root instanceof ShadowRoot ? [...root.children] : [dom.root()];
    for (const element of top) if (element) coverText(element);
  }

  /** Called before the browser draws what has changed. */
  function onChange(records: MutationRecord[]): void {
    if (known.byLength.length === 0) return;
    const changed = new Set<Document | ShadowRoot>();
    for (const { type, target, addedNodes } of records) {
      const root = Node.prototype.getRootNode.call(target);
      if (root instanceof ShadowRoot || root instanceof Document) changed.add(root);
      if (type === 'attributes' && dom.isElement(target)) coverAttributes(target);
      for (const node of addedNodes)
        if (dom.isElement(node))
          for (const element of dom.all(node)) {
            enter(element);
            coverAttributes(element);
          }
    }
    for (const root of changed) coverRoot(root);
    stayAlert();
  }

  function watch(root: Document | ShadowRoot): void {
    if (roots.has(root)) return;
    roots.add(root);
    observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
    coverRoot(root);
  }

  function enter(element: Element): void {
    const shadow = dom.shadowRoot(element);
    if (shadow) watch(shadow);
  }

  function tick(): void {
    isTicking = performance.now() < alertUntil;
    coverFields();
    if (isTicking) requestAnimationFrame(tick);
  }

  function stayAlert(): void {
    alertUntil = performance.now() + alertMs;
    if (isTicking) return;
    isTicking = true;
    requestAnimationFrame(tick);
  }

  let nextWalk = 0;
  function check(): void {
    coverFields();
    if (performance.now() < nextWalk) return;
    const begun = performance.now();
    for (const element of dom.all()) {
      enter(element);
      coverAttributes(element);
    }
    for (const root of roots) coverRoot(root);
    nextWalk = performance.now() + (performance.now() - begun) * 50;
  }

  return {
    /** Takes the place of what was known before. */
    set(next: Fingerprints): void {
      const isFirst = known.byLength.length === 0;
      known = next;
      if (next.byLength.length === 0) return;
      watch(document);
      nextWalk = 0;
      check();
      stayAlert();
      if (!isFirst) return;
      for (const name of ['input', 'change', 'keydown', 'click', 'focusin', 'DOMContentLoaded', 'load'])
        addEventListener(name, stayAlert, { capture: true, passive: true });
      setInterval(check, checkMs);
    },
    /** Covers an element for good. */
    cover,
  };
}
