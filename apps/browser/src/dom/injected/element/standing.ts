// Controls that are hidden behind something nicer: people use what is drawn, the page listens to the real one.

import type { Names } from './names.ts';
import type { Paint } from './paint.ts';
import type { Roles } from './roles.ts';
import type { Dom } from './safe-dom.ts';
import type { Rect, Sight, Unseen } from './visibility.ts';

export type Standing = ReturnType<typeof createStanding>;

type Parts = { dom: Dom; roles: Roles; names: Names; sight: Sight; paint: Paint };

export function createStanding({ dom, roles, names, sight, paint }: Parts) {
  const boxes = new Set(['checkbox', 'radio']);
  /** How far around a control its drawing may be. */
  const levels = 5;
  const nearPx = 12;

  const near = ({ x, y, width, height }: Rect): Rect => ({
    x: x - nearPx,
    y: y - nearPx,
    width: width + 2 * nearPx,
    height: height + 2 * nearPx,
  });

  const hasArea = ({ width, height }: Rect) => width > 0 && height > 0;

  /** Something to be seen beside it, in the same thing: the mark of a box, or the list that is drawn. */
  function hasDrawing(element: Element): boolean {
    const parent = dom.parent(element);
    if (!parent) return false;
    const at = near(dom.rect(element));
    let has = false;
    dom.eachChild(parent, (child) => {
      has ||=
        child !== element &&
        dom.isElement(child) &&
        hasArea(paint.overlap(dom.rect(child), at)) &&
        sight.isVisible(child);
    });
    return has || (hasFrame(parent) && sight.isVisible(parent));
  }

  /** Whether an element is drawn as a box by its styles. */
  function hasFrame(element: Element): boolean {
    const style = paint.styleOf(element);
    const isDrawn = (line: string, width: string) =>
      line !== 'none' && line !== 'hidden' && Number.parseFloat(width) > 0;
    return (
      style.backgroundImage !== 'none' ||
      isDrawn(style.borderBottomStyle, style.borderBottomWidth) ||
      isDrawn(style.borderTopStyle, style.borderTopWidth)
    );
  }

  /** Fields of lists and of editors are often as small as the caret. A box around it shows where it is. */
  function isInDrawnBox(element: Element): boolean {
    let up = dom.parent(element);
    for (let level = 0; up && !dom.isBody(up) && level < levels; level += 1, up = dom.parent(up)) {
      if (hasFrame(up)) return sight.isVisible(up);
    }
    return false;
  }

  const isEditor = (element: Element): boolean =>
    element instanceof HTMLTextAreaElement ||
    (roles.role(element) === 'combobox' && element instanceof HTMLInputElement && element.type !== 'password');

  /** What a person uses in place of a control they cannot see; undefined where there is nothing. */
  function standsFor(element: Element, unseen: Unseen): Element | undefined {
    const isBox = boxes.has(roles.typeOf(element));
    if (!isBox && !(element instanceof HTMLSelectElement) && !isEditor(element)) return undefined;
    if (!sight.isShown(element)) return undefined;
    const label = names.labelsOf(element).find(sight.isVisible);
    if (isBox) {
      // A clear box that lies over its drawing takes the click itself.
      if (unseen === 'clear' && (label || hasDrawing(element))) return element;
      return label;
    }
    if (label) return element;
    return (element instanceof HTMLSelectElement ? hasDrawing(element) : isInDrawnBox(element)) ? element : undefined;
  }

  return { standsFor };
}
