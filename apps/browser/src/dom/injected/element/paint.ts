// What of an element is drawn so that a person can see it. Asked only of elements that may be meant: styles are dear.

import type { Dom, Rect } from './safe-dom.ts';

export type Paint = ReturnType<typeof createPaint>;

export function createPaint(dom: Dom) {
  /** Of everything around an element too, multiplied. */
  const leastOpacity = 0.05;
  const leastSide = 4;
  let styles = new Map<Element, CSSStyleDeclaration>();
  let opacities = new Map<Element, number>();

  /** Pages change: what was read of them counts for one question. */
  function forget(): void {
    styles = new Map();
    opacities = new Map();
  }

  function styleOf(element: Element): CSSStyleDeclaration {
    const known = styles.get(element);
    if (known) return known;
    const style = getComputedStyle(element);
    styles.set(element, style);
    return style;
  }

  /** Dialogs and popovers lie over everything: what is around them neither hides nor clips them. */
  const isOnTop = (element: Element): boolean =>
    (dom.tag(element) === 'dialog' || dom.attribute(element, 'popover') !== null) &&
    dom.matches(element, ':modal, :popover-open');

  /** The element around it that may hide it. */
  const around = (element: Element): Element | null => (isOnTop(element) ? null : dom.parent(element));

  function ownOpacity(element: Element): number {
    const { opacity, filter, display } = styleOf(element);
    if (display === 'contents') return 1;
    const [, amount, percent] = /opacity\(([\d.]+)(%?)\)/.exec(filter) ?? [];
    return Number(opacity) * (amount === undefined ? 1 : Number(amount) / (percent ? 100 : 1));
  }

  function opacity(element: Element): number {
    const known = opacities.get(element);
    if (known !== undefined) return known;
    const outer = around(element);
    const all = ownOpacity(element) * (outer ? opacity(outer) : 1);
    opacities.set(element, all);
    return all;
  }

  const isTransparent = (element: Element): boolean => opacity(element) < leastOpacity;

  /** Nothing a person would notice. Lines to drag and bars may be thin, and so may a letter be. */
  function isTooSmall(element: Element, { width, height }: Rect): boolean {
    const [short, long] = width < height ? [width, height] : [height, width];
    if (short >= leastSide) return false;
    const isSlider = element instanceof HTMLInputElement && element.type === 'range';
    const isControl = dom.matches(element, 'a, button, input, select, textarea, iframe, [contenteditable], [role]');
    if (short >= 1 && long >= 40 && (isSlider || !isControl)) return false;
    return !(
      short >= 2 &&
      long >= 8 &&
      dom.textOf(element).trim().length > 0 &&
      !(element instanceof HTMLInputElement)
    );
  }

  function overlap(one: Rect, other: Rect): Rect {
    const x = Math.max(one.x, other.x);
    const y = Math.max(one.y, other.y);
    const width = Math.max(0, Math.min(one.x + one.width, other.x + other.width) - x);
    const height = Math.max(0, Math.min(one.y + one.height, other.y + other.height) - y);
    return { x, y, width, height };
  }

  /** `10px` or `25%` of a length; what cannot be told here counts as nothing. */
  function lengthOf(text: string | undefined, of: number): number {
    const [, amount, unit] = /^(-?[\d.]+(?:e-?\d+)?)(px|%)?$/.exec(text ?? '') ?? [];
    return amount === undefined ? 0 : unit === '%' ? (Number(amount) * of) / 100 : Number(amount);
  }

  function isInsetToNothing(text: string, { width, height }: Rect): boolean {
    const [top = '0', right = top, bottom = top, left = right] = text
      .replace(/ round .*/, '')
      .trim()
      .split(/\s+/);
    const across = width - lengthOf(left, width) - lengthOf(right, width);
    const down = height - lengthOf(top, height) - lengthOf(bottom, height);
    return across < 1 || down < 1;
  }

  function isPolygonOfNothing(text: string, { width, height }: Rect): boolean {
    const corners = text
      .replace(/^(nonzero|evenodd),/, '')
      .split(',')
      .map((corner) => corner.trim().split(/\s+/))
      .map(([x, y]) => ({ x: lengthOf(x, width), y: lengthOf(y, height) }));
    let twice = 0;
    for (const [index, { x, y }] of corners.entries()) {
      const next = corners[(index + 1) % corners.length] ?? { x, y };
      twice += x * next.y - next.x * y;
    }
    return Math.abs(twice) / 2 < leastSide;
  }

  /** Whether the shape that an element and all in it is cut to leaves nothing of it. */
  function isCutAway(element: Element): boolean {
    const { clipPath, clip, position } = styleOf(element);
    if (clipPath === 'none' && clip === 'auto') return false;
    const box = dom.rect(element);
    if (clip !== 'auto' && (position === 'absolute' || position === 'fixed')) {
      const [top, right, bottom, left] = (/rect\((.*)\)/.exec(clip)?.[1] ?? '').split(/[\s,]+/);
      const across = (right === 'auto' ? box.width : lengthOf(right, 0)) - lengthOf(left, 0);
      const down = (bottom === 'auto' ? box.height : lengthOf(bottom, 0)) - lengthOf(top, 0);
      if (across < 1 || down < 1) return true;
    }
    const [, shape, args = ''] = /(inset|circle|ellipse|polygon|url|path|xywh)\((.*)\)/.exec(clipPath) ?? [];
    if (shape === 'inset') return isInsetToNothing(args, box);
    if (shape === 'polygon') return isPolygonOfNothing(args, box);
    if (shape === 'circle' || shape === 'ellipse') {
      const radii = (args.split(/\bat\b/)[0] ?? '').trim().split(/\s+/);
      return radii.some((one) => /^[\d.]/.test(one) && lengthOf(one, Math.min(box.width, box.height)) < 1);
    }
    if (shape === 'xywh')
      return args
        .split(/\s+/)
        .slice(2, 4)
        .some((one) => lengthOf(one, 100) < 1);
    if (shape === 'path') return isPathOfNothing(args, box);
    if (shape === 'url') {
      const path = dom.elementById(element, /#([^"')]+)/.exec(args)?.[1] ?? '');
      return path !== null && dom.tag(path) === 'clipPath' && dom.all(path).length === 1;
    }
    return false;
  }

  function isPathOfNothing(text: string, { width, height }: Rect): boolean {
    const path = new Path2D(/["'](.*)["']/.exec(text)?.[1] ?? '');
    const canvas = new OffscreenCanvas(1, 1).getContext('2d');
    const parts = [0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95];
    return !parts.some((x) => parts.some((y) => canvas?.isPointInPath(path, x * width, y * height)));
  }

  /** Whether what is around it holds an element of this position, and so can clip it. */
  function isHolding(style: CSSStyleDeclaration, position: string): boolean {
    if (position !== 'absolute' && position !== 'fixed') return true;
    if (position === 'absolute' && style.position !== 'static') return true;
    return (
      style.transform !== 'none' ||
      style.filter !== 'none' ||
      style.perspective !== 'none' ||
      /paint|layout|strict|content/.test(style.contain) ||
      /transform|filter|perspective/.test(style.willChange)
    );
  }

  const clippers = /^(block|flex|grid|inline-block|inline-flex|inline-grid|table|table-cell|list-item|flow-root)$/;

  /** Along one side: what is left inside, after scrolling as far as a person could. */
  function leftInside(
    [from, size]: [number, number],
    [outer, room]: [number, number],
    { overflow, scrolled, length }: { overflow: string; scrolled: number; length: number },
  ): [number, number] {
    const between = (start: number, end: number): [number, number] => {
      const first = Math.max(from, start);
      return [first, Math.max(0, Math.min(from + size, end) - first)];
    };
    if (overflow === 'visible') return [from, size];
    if (overflow === 'hidden' || overflow === 'clip' || length <= room) return between(outer, outer + room);
    // A scroll position below zero is of a page that runs from right to left: all of it can be reached.
    const [, reachable] = scrolled < 0 ? [from, size] : between(outer - scrolled, outer - scrolled + length);
    const shown = Math.min(reachable, room);
    return [Math.min(Math.max(from, outer), outer + room - shown), shown];
  }

  /** What is left of its box after everything that clips it; nothing where no scrolling leads to it. */
  function remainder(element: Element, box: Rect): Rect {
    const nothing = { ...box, width: 0, height: 0 };
    let rect = box;
    if (isCutAway(element)) return nothing;
    let position = isOnTop(element) ? 'fixed' : styleOf(element).position;
    const root = dom.root();
    for (let up = around(element); up && up !== root; up = around(up)) {
      const style = styleOf(up);
      if (isCutAway(up)) return nothing;
      if (!isHolding(style, position)) continue;
      position = style.position;
      const { overflowX, overflowY, display } = style;
      // The page's own body passes its overflow on to the window.
      if (dom.isBody(up) || !clippers.test(display) || (overflowX === 'visible' && overflowY === 'visible')) continue;
      const outer = dom.rect(up);
      const across = { overflow: overflowX, scrolled: dom.scrollLeft(up), length: dom.scrollWidth(up) };
      const down = { overflow: overflowY, scrolled: dom.scrollTop(up), length: dom.scrollHeight(up) };
      const [x, width] = leftInside([rect.x, rect.width], [outer.x, outer.width], across);
      const [y, height] = leftInside([rect.y, rect.height], [outer.y, outer.height], down);
      rect = { x, y, width, height };
      if (width === 0 || height === 0) return rect;
    }
    if (position === 'fixed') return overlap(rect, { x: 0, y: 0, width: innerWidth, height: innerHeight });
    return isBeyondPage(rect) ? nothing : rect;
  }

  /** To the right or below of everything that the window can be scrolled to. */
  function isBeyondPage({ x, y }: Rect): boolean {
    const root = dom.root();
    if (!root || (x < innerWidth && y < innerHeight)) return false;
    let { overflowX } = styleOf(root);
    dom.eachChild(root, (child) => {
      if (overflowX === 'visible' && dom.isElement(child) && dom.isBody(child)) ({ overflowX } = styleOf(child));
    });
    const isHeld = x >= innerWidth && (overflowX === 'hidden' || overflowX === 'clip');
    return isHeld || x + scrollX >= dom.scrollWidth(root) || y + scrollY >= dom.scrollHeight(root);
  }

  return { forget, styleOf, around, opacity, isTransparent, isTooSmall, remainder, overlap };
}
