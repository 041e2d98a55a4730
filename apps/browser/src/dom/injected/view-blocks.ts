// What stands around and beside the words of a page: dialogs, boxes that scroll, hints of fields, pictures. One long
// function, because its text is sent.

import type { Names } from './element/names.ts';
import type { Paint } from './element/paint.ts';
import type { Roles } from './element/roles.ts';
import type { Dom } from './element/safe-dom.ts';
import type { Sight } from './element/visibility.ts';
import type { Reader } from './text.ts';

export type ViewBlocks = ReturnType<typeof createViewBlocks>;

type Parts = { dom: Dom; roles: Roles; names: Names; sight: Sight; paint: Paint; reader: Reader };

export function createViewBlocks({ dom, roles, names, sight, paint, reader }: Parts) {
  const fromPoint = Document.prototype.elementFromPoint;
  const maxHintChars = 200;
  const leastSign = 16;
  const leastClosed = 20;
  const maxClosed = 20;
  const maxDraggable = 200;
  const dialogs = ['dialog', 'alertdialog'];
  const drawnOver = 'dialog[open], [role=dialog], [role=alertdialog], [aria-modal="true"]';
  const mayHaveRoot = new Set('article aside blockquote div footer header main nav p section span'.split(' '));
  /** Elements that were asked for a closed shadow root. */
  const asked = new WeakSet<Element>();

  const isDialog = (element: Element, role: string): boolean =>
    dialogs.includes(role) && (dom.tag(element) !== 'dialog' || dom.attribute(element, 'open') !== null);

  function isHitIn(element: Element): boolean {
    const { x, y, width, height } = paint.overlap(dom.rect(element), {
      ...{ x: 0, y: 0, width: innerWidth, height: innerHeight },
    });
    if (width < 1 || height < 1) return false;
    const hit: Element | null = Reflect.apply(fromPoint, document, [x + width / 2, y + height / 2]);
    return hit !== null && (dom.isWithin(hit, element) || dom.isWithin(element, hit));
  }

  /** The dialog over everything else, if there is one. `isModal`: nothing else can be used. */
  function topDialog(elements: Element[]): { element: Element; isModal: boolean } | undefined {
    const modal = (element: Element) => dom.matches(element, ':modal, [aria-modal="true"]');
    const some = elements.filter(
      (element) => dom.matches(element, drawnOver) && sight.isVisible(element) && isHitIn(element),
    );
    const element = some.findLast(modal) ?? some.at(-1) ?? plainDialog();
    return element && { element, isModal: modal(element) };
  }

  /** One that is only drawn as such: it stays in the middle of the window, over the page, and does not fill it. */
  function plainDialog(): Element | undefined {
    const middle: Element | null = Reflect.apply(fromPoint, document, [innerWidth / 2, innerHeight / 2]);
    let found: Element | undefined;
    for (let up = middle; up && !dom.isBody(up); up = dom.parent(up)) {
      const { position, zIndex } = paint.styleOf(up);
      const { width, height } = dom.rect(up);
      const isPart = width < innerWidth * 0.9 && height < innerHeight * 0.9 && width > 100 && height > 50;
      if (isPart) found = up;
      if (position === 'fixed') return Number(zIndex) > 0 ? found : undefined;
    }
    return undefined;
  }

  function titleOf(dialog: Element): string {
    const label = names.label(dialog);
    if (label) return label;
    const heading = dom.all(dialog).find((one) => roles.role(one) === 'heading' && sight.isShown(one));
    return heading ? names.name(heading) : '';
  }

  /** Empty where it does not scroll. */
  function scrollsOf(element: Element, { overflowX, overflowY }: CSSStyleDeclaration): string {
    const scrolls = (overflow: string) => overflow === 'auto' || overflow === 'scroll';
    if (!(scrolls(overflowX) || scrolls(overflowY)) || element === dom.root() || dom.isBody(element)) return '';
    if (reader.isControl(element)) return '';
    const { width, height } = dom.rect(element);
    const [down, across] = [dom.scrollHeight(element) - height, dom.scrollWidth(element) - width];
    const told = (at: number, length: number, room: number) =>
      `${(at / Math.max(1, room)).toFixed(1)} of ${(length / Math.max(1, room)).toFixed(1)}`;
    if (height < leastSign || width < leastSign) return '';
    if (scrolls(overflowY) && down > 8) return `<scrolls ${told(dom.scrollTop(element), down, height)}>`;
    if (scrolls(overflowX) && across > 8) return `<scrolls across ${told(dom.scrollLeft(element), across, width)}>`;
    return '';
  }

  const levelOf = (heading: Element): number =>
    Math.min(6, Math.max(1, Number(dom.attribute(heading, 'aria-level') ?? dom.tag(heading).slice(1)) || 2));

  /** A table that only places things: its rows say nothing together. */
  function isLayoutTable(element: Element): boolean {
    if (!(element instanceof HTMLTableElement)) return false;
    return element.querySelector('table, h1, h2, form') !== null || dom.attribute(element, 'role') === 'presentation';
  }

  const isPointed = (element: Element): boolean => paint.styleOf(element).cursor === 'pointer';

  /** Some pages show the pointer over everything, which then says nothing. */
  function isPointedAllOver(): boolean {
    const root = dom.root();
    let is = root !== null && isPointed(root);
    if (root)
      dom.eachChild(root, (child) => {
        is ||= dom.isElement(child) && dom.isBody(child) && isPointed(child);
      });
    return is;
  }

  function holdsUsable(element: Element, known: Map<Element, boolean>): boolean {
    const before = known.get(element);
    if (before !== undefined) return before;
    const holds = dom.all(element).some((one) => one !== element && roles.isFocusable(one));
    known.set(element, holds);
    return holds;
  }

  const isDraggable = (element: Element): boolean => dom.attribute(element, 'draggable') === 'true';

  /** Where things can be dragged from and to: what holds something draggable, and what stands beside that as its like. */
  function places(): Set<Element> {
    const found = new Set<Element>();
    for (const one of dom.select('[draggable="true"]').slice(0, maxDraggable)) {
      const holder = dom.parent(one);
      const around = holder && dom.parent(holder);
      if (!holder || !around || found.has(holder) || dom.isBody(holder)) continue;
      found.add(holder);
      dom.eachChild(around, (child) => {
        if (dom.isElement(child) && dom.tag(child) === dom.tag(holder)) found.add(child);
      });
    }
    return found;
  }

  function isFoldedAway(element: Element): boolean {
    const { width, height } = dom.rect(element);
    return (width <= 1 && height <= 1) || sight.isFolded(element);
  }

  const describers = ['aria-errormessage', 'aria-describedby'];
  const described = '[aria-errormessage], [aria-describedby]';

  function describing(field: Element): Element[] {
    const ids = describers.flatMap((one) => dom.attribute(field, one)?.split(/\s+/) ?? []);
    const found = ids.filter(Boolean).flatMap((id) => dom.elementById(field, id) ?? []);
    return [...new Set(found)].filter((one) => sight.isVisible(one));
  }

  /** The texts that each belong to one field alone: they are told beside it. */
  function hints(elements: Element[]): Set<Element> {
    const counts = new Map<Element, number>();
    for (const field of elements) {
      if (!reader.isControl(field) || !dom.matches(field, described) || !sight.isShown(field)) continue;
      for (const one of describing(field)) counts.set(one, (counts.get(one) ?? 0) + 1);
    }
    const own = [...counts].filter(([one, count]) => count === 1 && !dom.all(one).some(roles.isFocusable));
    return new Set(own.map(([one]) => one));
  }

  const hintsOf = (field: Element, known: Set<Element>): string[] =>
    known.size === 0
      ? []
      : describing(field)
          .filter((one) => known.has(one))
          .map((one) => names.tidy(reader.read(one, maxHintChars)))
          .filter(Boolean);

  /** A picture, or how far something is. */
  function signOf(element: Element, role: string): string {
    if (role !== 'img' && role !== 'progressbar' && role !== 'meter') return '';
    const { width, height } = dom.rect(element);
    if (width < 1 || height < 1 || !sight.isShown(element)) return '';
    const name = names.name(element);
    if (role === 'img') return name && width >= leastSign ? `(image ${JSON.stringify(name.slice(0, 120))})` : '';
    return `(${role === 'meter' ? 'meter' : 'progress'}${name ? ` ${JSON.stringify(name)}` : ''} ${amountOf(element)})`;
  }

  function amountOf(element: Element): string {
    const said = dom.attribute(element, 'aria-valuetext');
    if (said) return said;
    const isNative = element instanceof HTMLProgressElement || element instanceof HTMLMeterElement;
    const now = dom.attribute(element, isNative ? 'value' : 'aria-valuenow');
    const most = dom.attribute(element, isNative ? 'max' : 'aria-valuemax') ?? (isNative ? '1' : '100');
    return now === null ? 'under way' : `${now} of ${most}`;
  }

  /** Of these elements, those that may have a shadow root which the page keeps closed, and were not asked yet. */
  function mayBeClosed(elements: Element[]): Element[] {
    const some = elements.filter((element) => {
      const tag = dom.tag(element);
      if (asked.has(element) || dom.shadowRoot(element)) return false;
      if (!tag.includes('-') && (!mayHaveRoot.has(tag) || element.firstChild !== null)) return false;
      const { width, height } = dom.rect(element);
      return width >= leastClosed && height >= leastClosed / 2 && sight.isShown(element);
    });
    const own = (element: Element) => Number(dom.tag(element).includes('-'));
    return some.sort((one, other) => own(other) - own(one)).slice(0, maxClosed);
  }

  /** Null: it was asked, and has none. */
  function setRoot(host: Element, root: ShadowRoot | null): void {
    asked.add(host);
    if (root) dom.openRoot(host, root);
  }

  /** Something of the page's own kind in which nothing could be read. */
  function closedPart(element: Element): string {
    if (!dom.tag(element).includes('-') || asked.has(element) || dom.shadowRoot(element) || element.firstChild)
      return '';
    const { width, height } = dom.rect(element);
    return width < leastClosed || height < leastClosed
      ? ''
      : `<closed part ${Math.round(width)}×${Math.round(height)}>`;
  }

  return {
    ...{
      isDialog,
      topDialog,
      titleOf,
      scrollsOf,
      levelOf,
      isLayoutTable,
      isPointed,
      isPointedAllOver,
      holdsUsable,
      isDraggable,
      places,
      isFoldedAway,
    },
    ...{ hints, hintsOf, signOf, mayBeClosed, setRoot, closedPart },
  };
}
