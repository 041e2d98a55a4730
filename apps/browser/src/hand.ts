// A hand on the pages: mouse, keys and text, straight over the browser's own protocol.

import type { Input } from '@pilothouse/bus';
import type { CDPSession, Page } from 'playwright-core';
import { StepFailure } from './failure.ts';
import { commandsOf, type Key, keyOf, type Modifier, modifierBits } from './keys.ts';
import type { Pages } from './pages.ts';
import { offerPaste } from './paste.ts';

type Button = 'left' | 'middle' | 'right';
type Point = { x: number; y: number };
type Pressed = { page: Page; button: Button };

const buttonBits = { left: 1, right: 2, middle: 4 } as const;
/** Two presses this close, in time and place, are a double one. */
const DOUBLE_MS = 500;
const DOUBLE_PX = 5;
/** Beside every page: a button let go there presses nothing that was under it. */
const nowhere = { x: -1, y: -1 };

export type Touch = Extract<
  Input,
  { action: 'move' | 'click' | 'double_click' | 'down' | 'up' | 'scroll' | 'type' | 'compose' | 'key' | 'paste' }
>;

export type Hand = {
  /** Hands the events to the browser, in order. What is returned settles when the page has dealt with them all. */
  touch(page: Page, touch: Touch, signal: AbortSignal): Promise<unknown>;
  /** Lets go of what is held down, where nothing comes of it. */
  release(): Promise<unknown>;
};

export function createHand(pages: Pick<Pages, 'cdp'>): Hand {
  const at = new WeakMap<Page, Point>();
  let pressed: Pressed[] = [];
  let lastPress: { page: Page; point: Point; button: Button; at: number; count: number } | undefined;

  const buttonsOn = (page: Page) =>
    pressed.filter((one) => one.page === page).reduce((bits, { button }) => bits | buttonBits[button], 0);

  /** Pages show menus and light up buttons by the mouse that comes over them, before it presses. */
  function go(cdp: CDPSession, page: Page, point: Point, modifiers: Modifier[]): Promise<unknown>[] {
    const from = at.get(page);
    if (from?.x === point.x && from.y === point.y) return [];
    return [move(cdp, page, point, modifiers)];
  }

  function move(cdp: CDPSession, page: Page, point: Point, modifiers: Modifier[]): Promise<unknown> {
    at.set(page, point);
    const button = pressed.find((one) => one.page === page)?.button ?? 'none';
    return mouse(cdp, { type: 'mouseMoved', ...point, button, buttons: buttonsOn(page), modifiers });
  }

  function press(cdp: CDPSession, page: Page, one: Press): Promise<unknown> {
    pressed = [...pressed.filter((held) => !isSame(held, page, one.button)), { page, button: one.button }];
    return mouse(cdp, { type: 'mousePressed', ...one, buttons: buttonsOn(page) });
  }

  function letGo(cdp: CDPSession, page: Page, one: Press): Promise<unknown> {
    pressed = pressed.filter((held) => !isSame(held, page, one.button));
    return mouse(cdp, { type: 'mouseReleased', ...one, buttons: buttonsOn(page) });
  }

  function countPress(page: Page, point: Point, button: Button): number {
    const now = performance.now();
    const isAgain =
      lastPress?.page === page &&
      lastPress.button === button &&
      now - lastPress.at < DOUBLE_MS &&
      Math.hypot(point.x - lastPress.point.x, point.y - lastPress.point.y) <= DOUBLE_PX;
    const count = isAgain && lastPress ? lastPress.count + 1 : 1;
    lastPress = { page, point, button, at: now, count };
    return count;
  }

  function useMouse(cdp: CDPSession, page: Page, touch: Exclude<Extract<Touch, Point>, { action: 'scroll' }>) {
    const { action, x, y, modifiers } = touch;
    const point = { x, y };
    if (action === 'move') return [move(cdp, page, point, modifiers)];
    const { button } = touch;
    const one = (clickCount: number) => ({ ...point, button, modifiers, clickCount });
    const moved = go(cdp, page, point, modifiers);
    if (action === 'down') return [...moved, press(cdp, page, one(countPress(page, point, button)))];
    if (action === 'up') return [...moved, letGo(cdp, page, one(lastPress?.count ?? 1))];
    lastPress = undefined;
    const counts = action === 'double_click' ? [1, 2] : [1];
    return [...moved, ...counts.flatMap((count) => [press(cdp, page, one(count)), letGo(cdp, page, one(count))])];
  }

  function turnWheel(cdp: CDPSession, page: Page, touch: Extract<Touch, { action: 'scroll' }>) {
    const from = at.get(page) ?? middleOf(page);
    const { x = from.x, y = from.y, delta_x, delta_y, modifiers } = touch;
    const moved = go(cdp, page, { x, y }, modifiers);
    return [...moved, mouse(cdp, { type: 'mouseWheel', x, y, deltaX: delta_x, deltaY: delta_y, modifiers })];
  }

  function eventsOf(cdp: CDPSession, page: Page, touch: Touch, signal: AbortSignal): Promise<unknown>[] {
    switch (touch.action) {
      case 'scroll':
        return turnWheel(cdp, page, touch);
      case 'key':
        return strike(cdp, touch.key, touch.modifiers);
      case 'type':
        return [cdp.send('Input.insertText', { text: touch.text })];
      case 'compose':
        return [compose(cdp, touch.text)];
      case 'paste':
        return [paste(cdp, touch.text, signal)];
      default:
        return useMouse(cdp, page, touch);
    }
  }

  return {
    async touch(page, touch, signal) {
      const cdp = await pages.cdp(page);
      if (signal.aborted) return;
      // All at once: Chromium keeps their order, and waiting for each would cost a round trip through the page.
      await Promise.all(eventsOf(cdp, page, touch, signal));
    },
    async release() {
      const held = pressed;
      [pressed, lastPress] = [[], undefined];
      return Promise.all(
        held
          .filter(({ page }) => !page.isClosed())
          .map(async ({ page, button }) => {
            at.set(page, nowhere);
            const cdp = await pages.cdp(page);
            return mouse(cdp, { type: 'mouseReleased', ...nowhere, button, buttons: 0, clickCount: 0, modifiers: [] });
          }),
      );
    },
  };
}

type Press = Point & { button: Button; modifiers: Modifier[]; clickCount: number };

const isSame = (held: Pressed, page: Page, button: Button) => held.page === page && held.button === button;

function mouse(
  cdp: CDPSession,
  event: Point & {
    type: 'mouseMoved' | 'mousePressed' | 'mouseReleased' | 'mouseWheel';
    button?: Button | 'none';
    buttons?: number;
    clickCount?: number;
    deltaX?: number;
    deltaY?: number;
    modifiers: Modifier[];
  },
): Promise<unknown> {
  return cdp.send('Input.dispatchMouseEvent', { ...event, modifiers: bitsOf(event.modifiers) });
}

/** One key, with those that are held meanwhile. None stays down after it. */
function strike(cdp: CDPSession, name: string, modifiers: Modifier[]): Promise<unknown>[] {
  const key = keyOf(name, modifiers);
  if (!key) throw new StepFailure('unsupported', 'no keyboard has such a key');
  const held = modifiers.filter((modifier) => modifier !== key.key);
  const upTo = (count: number) => bitsOf(held.slice(0, count));
  const all = bitsOf(held);
  return [
    ...held.map((modifier, index) => keyEvent(cdp, 'rawKeyDown', modifierKey(modifier), upTo(index + 1))),
    keyEvent(cdp, key.text === undefined ? 'rawKeyDown' : 'keyDown', key, all, commandsOf(key, modifiers)),
    keyEvent(cdp, 'keyUp', key, all),
    ...held.map((_, index) => {
      const last = held.length - 1 - index;
      return keyEvent(cdp, 'keyUp', modifierKey(held[last]), upTo(last));
    }),
  ];
}

function keyEvent(
  cdp: CDPSession,
  type: 'rawKeyDown' | 'keyDown' | 'keyUp',
  { text, ...key }: Key,
  modifiers: number,
  commands: string[] = [],
): Promise<unknown> {
  const typed = type === 'keyDown' ? { text, unmodifiedText: text } : {};
  return cdp.send('Input.dispatchKeyEvent', {
    type,
    ...key,
    ...typed,
    modifiers,
    commands,
    isKeypad: key.location === 3,
  });
}

function compose(cdp: CDPSession, text: string): Promise<unknown> {
  return cdp.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });
}

/** Many pages take a paste apart themselves; where none does, the text is put in. */
async function paste(cdp: CDPSession, text: string, signal: AbortSignal): Promise<void> {
  if ((await offerPaste(cdp, text)) || signal.aborted) return;
  await cdp.send('Input.insertText', { text });
}

const bitsOf = (modifiers: Modifier[]) => modifiers.reduce((bits, modifier) => bits | modifierBits[modifier], 0);

function modifierKey(modifier: Modifier | undefined): Key {
  const key = keyOf(modifier ?? 'Shift', []);
  if (!key) throw new Error(`the table has no ${modifier}`);
  return key;
}

function middleOf(page: Page): Point {
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
  return { x: width / 2, y: height / 2 };
}
