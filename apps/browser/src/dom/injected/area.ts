// Of elements with one name, those in the part of the page that says certain words: its row, card, list item or section.
// Never reaches from one row or card into the next. One long function, because its text is sent.

import type { Roles } from './element/roles.ts';
import type { Dom } from './element/safe-dom.ts';

export type Areas = ReturnType<typeof createAreas>;

export function createAreas(dom: Dom, roles: Roles) {
  const set = (text: string) => new Set(text.split(' '));
  /** Each is a thing of its own: words in it name nothing outside it. */
  const units = set(
    'row listitem article option menuitem treeitem group dialog alertdialog navigation complementary tabpanel',
  );
  /** Parts of a row that look alike and are none by themselves. */
  const cells = set('cell gridcell columnheader rowheader');
  type Found = { area: Element; elements: Element[] };

  /** Those of the elements that lie in the area of one of the anchors, which are what says the words. */
  function inAreas(elements: Element[], anchors: Element[]): Element[] {
    const usable = anchors.filter((anchor) => !elements.some((element) => dom.isWithin(anchor, element)));
    const found = usable.flatMap((anchor) => areaOf(anchor, elements) ?? []);
    // The same words farther away, such as in a menu, say less than those beside the element.
    const nearest = found.filter(
      ({ area }) => !found.some((other) => other.area !== area && dom.isWithin(other.area, area)),
    );
    const chosen = new Set(nearest.flatMap((one) => one.elements));
    return elements.filter((element) => chosen.has(element));
  }

  /** The smallest area around the anchor that has any of the elements. */
  function areaOf(anchor: Element, elements: Element[]): Found | undefined {
    let branch = anchor;
    for (let area: Element | null = anchor; area; area = dom.parent(area)) {
      const around = area;
      const inside = elements.filter((element) => dom.isWithin(element, around));
      if (inside.length > 0) {
        const beside = around === anchor ? inside : inside.filter((one) => !isApart(one, branch, around));
        const own = inSection(anchor, around, ofItself(beside, around));
        return own.length > 0 ? { area: around, elements: own } : undefined;
      }
      if (isUnit(around) || dom.isBody(around)) return undefined;
      branch = around;
    }
    return undefined;
  }

  function isUnit(element: Element): boolean {
    const role = roles.role(element);
    return units.has(role) || (role === 'region' && isTitled(element));
  }

  /** A section without a heading is often just a piece of a card. */
  const isTitled = (section: Element): boolean =>
    ['aria-label', 'aria-labelledby'].some((name) => dom.attribute(section, name) !== null) ||
    dom.all(section).some((element) => roles.role(element) === 'heading');

  /** Not those of a smaller card in it, where it has some of its own. */
  function ofItself(elements: Element[], area: Element): Element[] {
    const own = elements.filter((element) => {
      for (let up = dom.parent(element); up && up !== area; up = dom.parent(up)) if (isUnit(up)) return false;
      return true;
    });
    return own.length > 0 ? own : elements;
  }

  /** In another card of the same shape, which has words of its own. */
  function isApart(element: Element, branch: Element, area: Element): boolean {
    let other = element;
    for (let up = dom.parent(other); up && up !== area; up = dom.parent(up)) other = up;
    if (other === element || other === branch || cells.has(roles.role(other))) return false;
    return isAlike(branch, other) && wordsOf(other) > wordsOf(element);
  }

  const wordsOf = (element: Element): number => dom.textOf(element).replace(/\s+/g, '').length;

  function isAlike(one: Element, other: Element): boolean {
    if (dom.tag(one) !== dom.tag(other)) return false;
    const styled = (element: Element) => (dom.attribute(element, 'class') ?? '').trim();
    if (isUnit(one) && isUnit(other)) return true;
    if (styled(one) !== '' || styled(other) !== '') return styled(one) === styled(other);
    return firstTag(one) === firstTag(other);
  }

  function firstTag(element: Element): string {
    let tag = '';
    dom.eachChild(element, (child) => {
      if (tag === '' && dom.isElement(child)) tag = dom.tag(child);
    });
    return tag;
  }

  /** Under a heading stands what follows it, up to the next heading of its rank. */
  function inSection(anchor: Element, area: Element, elements: Element[]): Element[] {
    const heading = headingAround(anchor, area);
    if (!heading) return elements;
    const order = new Map(dom.all(area).map((element, index) => [element, index]));
    const at = order.get(heading) ?? 0;
    const ranks = [...order.keys()].filter((one) => one !== heading && rankOf(one) <= rankOf(heading));
    if (ranks.length === 0) return elements;
    const next = Math.min(...ranks.map((one) => order.get(one) ?? 0).filter((index) => index > at), order.size);
    return elements.filter((element) => {
      const index = order.get(element) ?? 0;
      return index > at && index < next;
    });
  }

  function headingAround(anchor: Element, area: Element): Element | undefined {
    for (let up: Element | null = anchor; up && up !== area; up = dom.parent(up))
      if (rankOf(up) < Number.POSITIVE_INFINITY) return up;
    return undefined;
  }

  /** 1 for the highest heading; infinite for what is none. */
  function rankOf(element: Element): number {
    if (roles.role(element) !== 'heading') return Number.POSITIVE_INFINITY;
    const said = Number(dom.attribute(element, 'aria-level') ?? /^h([1-6])$/.exec(dom.tag(element))?.[1]);
    return said >= 1 ? said : 2;
  }

  return { inAreas };
}
