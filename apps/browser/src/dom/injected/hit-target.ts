// Where an element can be touched, and whether the touch would reach it. One long function, because its text is sent.

import type { Names } from './element/names.ts';
import type { Roles } from './element/roles.ts';
import type { Dom } from './element/safe-dom.ts';
import type { Rect, Sight } from './element/visibility.ts';

export type Touch = ReturnType<typeof createTouch>;
type Point = { x: number; y: number };

export type ElementMeasure =
  | { state: 'gone' }
  | { state: 'hidden'; isFile: boolean; isDisabled: boolean }
  /** Points in the part that can be seen, best first; none where all of it is out of view. */
  | { state: 'there'; isDisabled: boolean; box: Rect; points: Point[] };

export type Poised = { measured: ElementMeasure; isMoving: boolean; reached: number };

export function createTouch(dom: Dom, roles: Roles, names: Names, sight: Sight) {
  const pressable =
    'a[href], button, label, summary, [role=button], [role=link], [role=tab], [role=menuitem], [role=option]';

  /** `view` is the part of this document that can be seen from outside, in its own pixels. */
  function measure(element: Element, view: Rect): ElementMeasure {
    if (!dom.isConnected(element)) return { state: 'gone' };
    const isDisabled = roles.isDisabled(element);
    const box = sight.isShown(element) ? sight.box(element) : undefined;
    if (!box) return { state: 'hidden', isFile: roles.typeOf(element) === 'file', isDisabled };
    const rects = [...dom.rects(element), box]
      .map((rect) => overlap(rect, view))
      .filter(({ width, height }) => width * height > 0.99);
    return { state: 'there', isDisabled, box, points: rects[0] ? pointsIn(rects) : [] };
  }

  function overlap(one: Rect, other: Rect): Rect {
    const x = Math.max(one.x, other.x);
    const y = Math.max(one.y, other.y);
    const width = Math.max(0, Math.min(one.x + one.width, other.x + other.width) - x);
    const height = Math.max(0, Math.min(one.y + one.height, other.y + other.height) - y);
    return { x, y, width, height };
  }

  /** The middles of the boxes (a link may go over several lines), then places aside of the first one's middle. */
  function pointsIn(rects: Rect[]): Point[] {
    const at = ({ x, y, width, height }: Rect, right: number, down: number) => ({
      x: x + width * right,
      y: y + height * down,
    });
    const middles = rects.slice(0, 3).map((rect) => at(rect, 0.5, 0.5));
    const aside = rects
      .slice(0, 1)
      .flatMap((rect) => [at(rect, 0.15, 0.5), at(rect, 0.85, 0.5), at(rect, 0.5, 0.15), at(rect, 0.5, 0.85)]);
    return [...middles, ...aside];
  }

  /** Whether a click there does to the element what a click on it does. */
  function isReached(element: Element, hit: Element | null): boolean {
    if (!hit) return false;
    if (dom.isWithin(hit, element)) return true;
    // A label passes the click on, both ways round.
    if (names.labelsOf(element).some((label) => dom.isWithin(hit, label))) return true;
    if (element instanceof HTMLLabelElement && element.control && dom.isWithin(hit, element.control)) return true;
    // Words that let the click through to the button they stand in.
    const around = dom.closest(element, pressable);
    return around !== null && hit === around;
  }

  /** The first of the points at which a click reaches the element. */
  const reachable = (element: Element, points: Point[]): number =>
    points.findIndex(({ x, y }) => isReached(element, dom.atPoint(x, y)));

  function scroll(element: Element, block: ScrollLogicalPosition): void {
    element.scrollIntoView({ block, inline: 'nearest', behavior: 'instant' });
  }

  /** All of it in one go, for the page's own document: whether it stands still from one frame to the next, and where. */
  async function poise(element: Element, isTouch: boolean): Promise<Poised> {
    const view = { x: 0, y: 0, width: innerWidth, height: innerHeight };
    const before = measure(element, view);
    if (!isTouch || before.state !== 'there') return { measured: before, isMoving: false, reached: -1 };
    await nextFrame();
    let between: ElementMeasure = before;
    if (mayMove(element)) {
      // What is just beginning to move does not do so in the first, and what turns back is where it was after two.
      between = measure(element, view);
      await nextFrame(busyFrameMs);
    }
    const measured = measure(element, view);
    if (measured.state !== 'there') return { measured, isMoving: false, reached: -1 };
    const isMoving = [before, between].some((then) => then.state === 'there' && isElsewhere(then.box, measured.box));
    return { measured, isMoving, reached: reachable(element, measured.points) };
  }

  const isElsewhere = (one: Rect, other: Rect): boolean =>
    (['x', 'y', 'width', 'height'] as const).some((side) => Math.abs(one[side] - other[side]) >= 0.5);

  /** Whether an animation of the page's style has it in hand. What a script moves, it moves in every frame. */
  const mayMove = (element: Element): boolean =>
    document
      .getAnimations()
      .some(({ effect }) => effect instanceof KeyframeEffect && effect.target && dom.isWithin(element, effect.target));

  const frameMs = 50;
  /** What is animated is where it was until a frame is drawn, which takes longer on a busy machine. */
  const busyFrameMs = 300;

  /** A page that is not drawn has no frames. */
  const nextFrame = (mostMs = frameMs) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, mostMs);
      requestAnimationFrame(() => {
        clearTimeout(timer);
        resolve();
      });
    });

  return { measure, reachable, poise, scroll };
}
