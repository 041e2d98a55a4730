// The mouse, as events of Chromium's own protocol: where it is on each page, and which of its buttons are down.

import type { CDPSession, Page } from 'playwright-core';
import type { Modifier } from '../common/key-codes.ts';
import type { Pages } from '../pages/pages.ts';
import type { DeviceInput } from './device-input.ts';
import { bitsOf } from './keyboard.ts';

type Button = 'left' | 'middle' | 'right';
type Point = { x: number; y: number };
type HeldButton = { page: Page; button: Button };
type Press = Point & { button: Button; modifiers: Modifier[]; clickCount: number };
type LastPress = HeldButton & { point: Point; at: number; count: number };
type ScrollInput = Extract<DeviceInput, { action: 'scroll' }>;
type PointerInput = Exclude<Extract<DeviceInput, Point>, ScrollInput>;

const buttonBits = { left: 1, right: 2, middle: 4 } as const;
/** Two presses this close, in time and place, are a double click. */
const doubleMs = 500;
const doublePx = 5;
/** Beside every page: a button released there presses nothing that was under it. */
const nowhere = { x: -1, y: -1 };

/** Events are handed to the browser at once, in order; each promise settles when the page has dealt with its event. */
export type Mouse = {
  use(cdp: CDPSession, page: Page, input: PointerInput): Promise<unknown>[];
  scroll(cdp: CDPSession, page: Page, input: ScrollInput): Promise<unknown>[];
  /** Releases the buttons that are down, beside the page. */
  release(): Promise<unknown>;
};

export function createMouse(pages: Pick<Pages, 'cdp'>): Mouse {
  const positions = new WeakMap<Page, Point>();
  let held: HeldButton[] = [];
  let lastPress: LastPress | undefined;

  const buttonsOn = (page: Page) =>
    held.filter((one) => one.page === page).reduce((bits, { button }) => bits | buttonBits[button], 0);

  function move(cdp: CDPSession, page: Page, point: Point, modifiers: Modifier[]): Promise<unknown> {
    positions.set(page, point);
    const button = held.find((one) => one.page === page)?.button ?? 'none';
    return mouseEvent(cdp, { type: 'mouseMoved', ...point, button, buttons: buttonsOn(page), modifiers });
  }

  /** Pages show menus and highlight buttons when the mouse comes over them, before it presses. */
  function moveThere(cdp: CDPSession, page: Page, point: Point, modifiers: Modifier[]): Promise<unknown>[] {
    const from = positions.get(page);
    if (from?.x === point.x && from.y === point.y) return [];
    return [move(cdp, page, point, modifiers)];
  }

  function down(cdp: CDPSession, page: Page, press: Press): Promise<unknown> {
    held = [...held.filter((one) => !isSame(one, page, press.button)), { page, button: press.button }];
    return mouseEvent(cdp, { type: 'mousePressed', ...press, buttons: buttonsOn(page) });
  }

  function up(cdp: CDPSession, page: Page, press: Press): Promise<unknown> {
    held = held.filter((one) => !isSame(one, page, press.button));
    return mouseEvent(cdp, { type: 'mouseReleased', ...press, buttons: buttonsOn(page) });
  }

  /** How many presses in a row this one makes. */
  function countPress(page: Page, point: Point, button: Button): number {
    lastPress = pressAfter(lastPress, { page, point, button });
    return lastPress.count;
  }

  return {
    use(cdp, page, input) {
      const { action, x, y, modifiers } = input;
      const point = { x, y };
      if (action === 'move') return [move(cdp, page, point, modifiers)];
      const { button } = input;
      const press = (clickCount: number) => ({ ...point, button, modifiers, clickCount });
      const moved = moveThere(cdp, page, point, modifiers);
      if (action === 'down') return [...moved, down(cdp, page, press(countPress(page, point, button)))];
      if (action === 'up') return [...moved, up(cdp, page, press(lastPress?.count ?? 1))];
      lastPress = undefined;
      const counts = action === 'double_click' ? [1, 2] : [1];
      return [...moved, ...counts.flatMap((count) => [down(cdp, page, press(count)), up(cdp, page, press(count))])];
    },
    scroll(cdp, page, input) {
      const from = positions.get(page) ?? middleOf(page);
      const { x = from.x, y = from.y, delta_x, delta_y, modifiers } = input;
      const moved = moveThere(cdp, page, { x, y }, modifiers);
      return [...moved, mouseEvent(cdp, { type: 'mouseWheel', x, y, deltaX: delta_x, deltaY: delta_y, modifiers })];
    },
    async release() {
      const down = held;
      [held, lastPress] = [[], undefined];
      return Promise.all(
        down
          .filter(({ page }) => !page.isClosed())
          .map(async ({ page, button }) => {
            positions.set(page, nowhere);
            const cdp = await pages.cdp(page);
            const released = { ...nowhere, button, buttons: 0, clickCount: 0, modifiers: [] };
            return mouseEvent(cdp, { type: 'mouseReleased', ...released });
          }),
      );
    },
  };
}

const isSame = (held: HeldButton, page: Page, button: Button) => held.page === page && held.button === button;

function pressAfter(last: LastPress | undefined, press: HeldButton & { point: Point }): LastPress {
  const now = performance.now();
  const isAgain =
    last?.page === press.page &&
    last.button === press.button &&
    now - last.at < doubleMs &&
    Math.hypot(press.point.x - last.point.x, press.point.y - last.point.y) <= doublePx;
  return { ...press, at: now, count: isAgain && last ? last.count + 1 : 1 };
}

type MouseEvent = Point & {
  type: 'mouseMoved' | 'mousePressed' | 'mouseReleased' | 'mouseWheel';
  button?: Button | 'none';
  buttons?: number;
  clickCount?: number;
  deltaX?: number;
  deltaY?: number;
  modifiers: Modifier[];
};

function mouseEvent(cdp: CDPSession, event: MouseEvent): Promise<unknown> {
  return cdp.send('Input.dispatchMouseEvent', { ...event, modifiers: bitsOf(event.modifiers) });
}

function middleOf(page: Page): Point {
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
  return { x: width / 2, y: height / 2 };
}
