/// <reference lib="dom" />
// Fingers of the person who drives: a tap clicks, one finger moves the picture or scrolls the page, two zoom. No React.

import type { InputQueue } from './input-queue.ts';
import { fillView, holdView, panView, pinchView, type TouchView } from './touch-view.ts';
import { placeOnPage } from './wheel-input.ts';

type Options = {
  /** The picture of the page, inside of what cuts it off. */
  picture: HTMLElement;
  /** The size of the page in CSS pixels. */
  pageSize: () => { width: number; height: number };
  queue: Pick<InputQueue, 'push'>;
};

/** A finger that moved farther does not tap. */
const tapPx = 10;
const tapMs = 600;

/** Listens until `close`, which shows the whole page again. */
export function createTouchInput({ picture, pageSize, queue }: Options): { close(): void } {
  const stop = new AbortController();
  const fingers = new Map<number, { x: number; y: number }>();
  let view: TouchView | undefined;
  let isMoved = false;
  let tap: { x: number; y: number; at: number } | undefined;

  const bounds = () => boundsOf(picture);
  const show = (next: TouchView) => {
    view = next;
    move(picture, next);
  };
  const inSpace = (point: { x: number; y: number }) => {
    const box = (picture.parentElement ?? picture).getBoundingClientRect();
    return { x: point.x - box.left, y: point.y - box.top };
  };
  const on = (name: 'pointerdown' | 'pointermove' | 'pointerup' | 'pointercancel', handle: (e: PointerEvent) => void) =>
    picture.addEventListener(name, (event) => event.pointerType === 'touch' && handle(event), { signal: stop.signal });

  const drag = (id: number, to: { x: number; y: number }) => {
    const from = fingers.get(id);
    if (!from) return;
    const now = view ?? fillView(bounds());
    const other = [...fingers].find(([one]) => one !== id)?.[1];
    fingers.set(id, to);
    isMoved = true;
    if (other) {
      const before = Math.hypot(from.x - other.x, from.y - other.y);
      const after = Math.hypot(to.x - other.x, to.y - other.y);
      if (before > 0)
        show(pinchView(now, after / before, inSpace({ x: (to.x + other.x) / 2, y: (to.y + other.y) / 2 }), bounds()));
      return;
    }
    const panned = panView(now, { x: to.x - from.x, y: to.y - from.y }, bounds());
    show(panned.view);
    const point = placeOnPage({ clientX: to.x, clientY: to.y }, picture.getBoundingClientRect(), pageSize());
    const perPx = pageSize().width / Math.max(1, picture.offsetWidth);
    const [delta_x, delta_y] = [Math.round(panned.scroll.x * perPx), Math.round(panned.scroll.y * perPx)];
    if (delta_x || delta_y) queue.push({ action: 'scroll', ...point, delta_x, delta_y, modifiers: [] });
  };

  on('pointerdown', (event) => {
    event.preventDefault();
    picture.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    tap = fingers.size === 1 ? { x: event.clientX, y: event.clientY, at: event.timeStamp } : undefined;
  });
  on('pointermove', (event) => {
    if (tap && Math.hypot(event.clientX - tap.x, event.clientY - tap.y) <= tapPx) return;
    tap = undefined;
    drag(event.pointerId, { x: event.clientX, y: event.clientY });
  });
  on('pointerup', (event) => {
    fingers.delete(event.pointerId);
    if (!tap || event.timeStamp - tap.at > tapMs) return;
    const point = placeOnPage(event, picture.getBoundingClientRect(), pageSize());
    if (point) queue.push({ action: 'click', ...point, button: 'left', modifiers: [] });
    tap = undefined;
  });
  on('pointercancel', (event) => {
    fingers.delete(event.pointerId);
    tap = undefined;
  });
  // The space grows when the person begins to drive, and when the keyboard of the screen comes or goes.
  const resized = new ResizeObserver(() => {
    if (!matchMedia('(pointer: coarse)').matches) return;
    show(view && isMoved ? holdView(view, bounds()) : fillView(bounds()));
  });
  for (const element of [picture, picture.parentElement]) if (element) resized.observe(element);

  return {
    close() {
      stop.abort();
      resized.disconnect();
      picture.style.transform = '';
    },
  };
}

function boundsOf(picture: HTMLElement) {
  const space = picture.parentElement ?? picture;
  return {
    space: { width: space.clientWidth, height: space.clientHeight },
    picture: { width: picture.offsetWidth, height: picture.offsetHeight },
  };
}

/** The picture is in the middle of its space before it is moved. */
function move(picture: HTMLElement, { x, y, scale }: TouchView): void {
  const { space, picture: own } = boundsOf(picture);
  const [left, top] = [(space.width - own.width) / 2, (space.height - own.height) / 2];
  picture.style.transformOrigin = '0 0';
  picture.style.transform = `translate(${x - left}px, ${y - top}px) scale(${scale})`;
}
