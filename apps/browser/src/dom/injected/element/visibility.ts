// What a person could see, and where.

import type { Contrast } from './contrast.ts';
import type { Paint } from './paint.ts';
import type { Dom, Rect } from './safe-dom.ts';

export type Sight = ReturnType<typeof createSight>;
export type { Rect } from './safe-dom.ts';

/** Why a person cannot see an element: it has no place, nothing of it is left to see, or it is there and cannot be made out. */
export type Unseen = 'nowhere' | 'clipped' | 'clear';

export function createSight(dom: Dom, paint: Paint, contrast: Contrast) {
  const check = Element.prototype.checkVisibility;
  const byVisibility = { visibilityProperty: true };
  const byOpacity = { opacityProperty: true };

  /** An element without a box of its own, as a slot is, shows what it holds wherever the one around it does. */
  function checked(element: Element, options: CheckVisibilityOptions): boolean {
    if (Reflect.apply(check, element, [options])) return true;
    const { display, visibility } = getComputedStyle(element);
    if (display !== 'contents' || (options.visibilityProperty && visibility !== 'visible')) return false;
    const around = dom.parent(element);
    return around === null || checked(around, { ...options, visibilityProperty: false });
  }

  /** Drawn at all, by its styles. */
  const isShown = (element: Element): boolean => checked(element, byVisibility);
  /** False where nothing below can be seen either. */
  const mayShow = (element: Element): boolean => checked(element, byOpacity);

  const hasArea = ({ width, height }: Rect) => width > 0 && height > 0;

  /** The box of an element, or of the first thing in it that has one: a link around a picture may have none itself. */
  function box(element: Element, depth = 3): Rect | undefined {
    const { x, y, width, height } = dom.rect(element);
    if (hasArea({ x, y, width, height })) return { x, y, width, height };
    let inner: Rect | undefined;
    if (depth > 0) {
      dom.eachChild(element, (child) => {
        if (!inner && dom.isElement(child) && isShown(child)) inner = box(child, depth - 1);
      });
    }
    return inner;
  }

  /** Outside the top or the left of the page, where no scrolling leads. */
  function isUnreachable(element: Element, { x, y, width, height }: Rect): boolean {
    if (x + width > 0 && y + height > 0) return false;
    const isAbove = y + height + scrollY <= 0;
    const isBefore = x + width + scrollX <= 0;
    if (!isAbove && !isBefore) return false;
    const root = dom.root();
    if (!isAbove && root && getComputedStyle(root).direction === 'rtl') return false;
    for (let up = dom.parent(element); up && up !== root; up = dom.parent(up)) {
      if (up.scrollTop !== 0 || up.scrollLeft !== 0) return false;
    }
    return true;
  }

  /** A box without room that shows nothing beyond itself, as what is folded away has. */
  function isFolded(element: Element): boolean {
    // Most elements end here: styles are dear to ask.
    if (!(element instanceof HTMLElement) || (element.offsetWidth > 1 && element.offsetHeight > 1)) return false;
    const { overflowX, overflowY, display } = getComputedStyle(element);
    if (display === 'contents' || display === 'inline') return false;
    const { width, height } = dom.rect(element);
    return (width <= 1 && overflowX !== 'visible') || (height <= 1 && overflowY !== 'visible');
  }

  function isFoldedAway(element: Element): boolean {
    const root = dom.root();
    for (let up = paint.around(element); up && up !== root; up = paint.around(up)) if (isFolded(up)) return true;
    return false;
  }

  /** Where it is, if a person can get to see it. What is folded is for those to know who came from above. */
  function boxInReach(element: Element): Rect | undefined {
    const at = isShown(element) ? box(element) : undefined;
    return at && !isUnreachable(element, at) ? at : undefined;
  }

  /** Small things may hold larger ones that show beyond them. */
  function innerBox(element: Element): Rect | undefined {
    if (paint.styleOf(element).overflow !== 'visible') return undefined;
    let inner: Rect | undefined;
    dom.eachChild(element, (child) => {
      if (inner || !dom.isElement(child) || !isShown(child)) return;
      const at = box(child);
      if (at && !paint.isTooSmall(child, at)) inner = at;
    });
    return inner;
  }

  /** Undefined where a person can see it, or can scroll to where they see it. */
  function unseen(element: Element): Unseen | undefined {
    const at = boxInReach(element);
    if (!at || isFoldedAway(element)) return 'nowhere';
    const seen = paint.isTooSmall(element, at) ? innerBox(element) : at;
    if (!seen || paint.isTooSmall(element, paint.remainder(element, seen))) return 'clipped';
    return paint.isTransparent(element) || contrast.isFaint(element, seen) ? 'clear' : undefined;
  }

  const isVisible = (element: Element): boolean => unseen(element) === undefined;

  return { isShown, mayShow, isFolded, isUnreachable, isVisible, unseen, box, boxInReach };
}
