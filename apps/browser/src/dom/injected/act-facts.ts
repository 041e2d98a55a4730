// What policy has to know of an element before it is touched: read from the document, never from a model. One long function,
// because its text is sent. Never gives away what a field for secrets holds.

import type { ElementFacts } from '@pilothouse/policy';
import type { Names } from './element/names.ts';
import type { Dom } from './element/safe-dom.ts';
import type { Secrets } from './element/secrets.ts';
import type { Reader } from './text.ts';
import type { Identity, ViewItems } from './view-items.ts';

export type ActReader = ReturnType<typeof createActReader>;

/** `facts`: of the element, and of the control around or under it that a click reaches in its place. */
export type ActLook = { identity: Identity; facts: ElementFacts[]; near: string };

export type FocusLook = ActLook | 'frame' | 'nothing' | null;

type Parts = { dom: Dom; names: Names; secrets: Secrets; reader: Reader; items: ViewItems };

export function createActReader({ dom, names, secrets, reader, items }: Parts) {
  const controls =
    'a[href], area[href], button, input, select, textarea, summary, label, [role="button"], [role="link"]';
  const dialogs = 'dialog, [role="dialog"], [role="alertdialog"]';
  const rows = 'tr, [role="row"], li, [role="listitem"], article, [role="article"]';
  const sections = 'section, [role="region"], main, [role="main"], body';
  const frames = 'iframe, frame, object, embed, fencedframe';
  const maxNearChars = 4000;
  const maxDialogChars = 1000;
  const maxFields = 200;
  const maxNames = 10;
  const getter = (prototype: object, name: string) => Object.getOwnPropertyDescriptor(prototype, name)?.get;
  // A form may have a field of this name in place of the property.
  const elementsOf = getter(HTMLFormElement.prototype, 'elements');
  const activeOf = getter(Document.prototype, 'activeElement');
  const activeInRoot = getter(ShadowRoot.prototype, 'activeElement');

  /** It, or the nearest around it, also through shadow roots. */
  function around(element: Element, selector: string): Element | null {
    for (let one: Element | null = element; one; one = dom.parent(one)) if (dom.matches(one, selector)) return one;
    return null;
  }

  function fieldsOf(form: HTMLFormElement): Element[] {
    const all = elementsOf ? [...(Reflect.apply(elementsOf, form, []) as Iterable<Element>)] : [];
    return all.slice(0, maxFields);
  }

  function formFacts(element: Element): ElementFacts['form'] {
    const form = items.formOf(element);
    const facts = items.formFacts(element);
    if (!form || !facts) return null;
    const fields = fieldsOf(form);
    const send_names = fields.filter(items.submits).slice(0, maxNames).map(names.name);
    return { method: facts.method, has_card: fields.some(secrets.isCardField), send_names };
  }

  function hrefOrigin(element: Element): string | null {
    const isLink = element instanceof HTMLAnchorElement || element instanceof HTMLAreaElement;
    if (!isLink || dom.attribute(element, 'href') === null) return null;
    const { protocol, origin } = URL.parse(element.href) ?? {};
    return origin !== undefined && (protocol === 'http:' || protocol === 'https:') ? origin : null;
  }

  function factsOf(element: Element, { role, name }: Pick<Identity, 'role' | 'name'>): ElementFacts {
    const isLink = element instanceof HTMLAnchorElement || element instanceof HTMLAreaElement;
    const hasType = element instanceof HTMLInputElement || element instanceof HTMLButtonElement;
    const dialog = around(element, dialogs);
    return {
      role,
      name,
      tag: dom.tag(element),
      type: hasType ? element.type : null,
      submits: items.submits(element),
      secret: secrets.isSecret(element),
      download: isLink && dom.attribute(element, 'download') !== null,
      href_origin: hrefOrigin(element),
      form: formFacts(element),
      dialog_words: dialog ? reader.read(dialog, maxDialogChars) : '',
    };
  }

  /** A click goes to what is drawn in the middle of the element, which may be a control inside of it. */
  function underneath(element: Element): Element | null {
    const { left, top, width, height } = dom.rect(element);
    const hit = dom.atPoint(left + width / 2, top + height / 2);
    return hit && dom.isWithin(hit, element) ? hit : null;
  }

  const toldOf = (element: Element): Element =>
    element instanceof HTMLLabelElement ? (element.control ?? element) : element;

  /** What is written around it, and what the fields there hold. */
  function nearOf(element: Element): string {
    const found = [dialogs, 'form', rows].flatMap((selector) => around(element, selector) ?? []);
    const widest = found.find((one) => found.every((other) => dom.isWithin(other, one)));
    const place = widest ?? around(element, sections);
    if (!place) return '';
    const held = dom.select('input, textarea, select', place).slice(0, maxFields);
    return [reader.read(place, maxNearChars), ...held.flatMap((field) => reader.held(field) ?? [])].join('\n');
  }

  function look(element: Element, isNear: boolean): ActLook {
    const told = toldOf(element);
    const identity = items.identity(element);
    const under = underneath(element) ?? element;
    const others = [around(element, controls), around(under, controls)].flatMap((one) => (one ? toldOf(one) : []));
    const facts = [...new Set(others)].filter((one) => one !== told).map((one) => factsOf(one, items.identity(one)));
    return { identity, facts: [factsOf(told, identity), ...facts], near: isNear ? nearOf(told) : '' };
  }

  /** What a press at this point goes to; `frame`: into another document. Null where that cannot be said. */
  function lookAtPoint(x: number, y: number): ActLook | 'frame' | null {
    // Two fingers have made the page larger: where a press would arrive then, the browser knows only a moment later.
    if (visualViewport && visualViewport.scale !== 1) return null;
    const hit = dom.atPoint(x, y);
    if (!hit) return null;
    return dom.matches(hit, frames) ? 'frame' : look(hit, false);
  }

  /** Whether a press at this point goes into the document that this frame shows, and not to what lies over it. */
  const isFrameAt = (owner: Element, x: number, y: number): boolean => dom.atPoint(x, y) === owner;

  /** What a key goes to; `frame`: into another document. Null where neither this document nor one inside of it has the focus. */
  function lookAtFocus(isNear: boolean): FocusLook {
    if (!document.hasFocus()) return null;
    let active = activeOf ? (Reflect.apply(activeOf, document, []) as Element | null) : null;
    for (let root = active && dom.shadowRoot(active); root && activeInRoot; root = active && dom.shadowRoot(active)) {
      const inner = Reflect.apply(activeInRoot, root, []) as Element | null;
      if (!inner) break;
      active = inner;
    }
    if (!active || dom.isBody(active)) return 'nothing';
    return dom.matches(active, frames) ? 'frame' : look(active, isNear);
  }

  /** Of the links that lead exactly there. A name of a picture or a label counts as people read it. */
  function linkNames(url: string): string[] {
    const to = URL.parse(url)?.href;
    const isThere = (link: Element) =>
      (link instanceof HTMLAnchorElement || link instanceof HTMLAreaElement) && URL.parse(link.href)?.href === to;
    const links = dom.select('a[href], area[href]', document.documentElement);
    return links.filter(isThere).slice(0, maxNames).map(names.name);
  }

  return { look, lookAtPoint, isFrameAt, lookAtFocus, linkNames };
}
