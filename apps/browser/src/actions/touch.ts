import type { Target } from '@pilothouse/contract';
import { within } from '../deadline.ts';
import type { Found } from '../eyes/found.ts';
import { passFrame } from '../frame-passed.ts';
import type { Hands } from './hands.ts';

/** Where a drag passes on its way: pages follow the pointer, and some only believe one that moves. */
const DRAG_STEPS = 8;
const PAINT_MS = 300;
const LOOKS = 3;

type Point = { x: number; y: number };

export async function click(hands: Hands, target: Target, { count = 1 } = {}): Promise<void> {
  const element = await hands.reach(target, 'press');
  await clickOn(hands, element, hands.point(), count);
}

/** A page may move between the look and the touch: with the pointer there, it is looked at once more. */
export async function clickOn(hands: Hands, element: Found, point: Point, count = 1): Promise<void> {
  const { page, grasp, touch, deadline } = hands;
  let { x, y } = point;
  await touch(() => page.mouse.move(x, y));
  for (let look = 0; look < LOOKS && !(await element.isAt({ x, y }, deadline)); look++) {
    ({ x, y } = (await element.ready({ isTouch: true }, deadline)).point);
    await touch(() => page.mouse.move(x, y));
  }
  for (let clickCount = 1; clickCount <= count; clickCount++) {
    await touch(() => grasp.down(page, { clickCount }));
    await touch(() => grasp.up(page, { clickCount }));
  }
}

export async function hover(hands: Hands, target: Target): Promise<void> {
  await hands.reach(target, 'any');
  const { x, y } = hands.point();
  await hands.touch(() => hands.page.mouse.move(x, y));
}

export async function drag(hands: Hands, from: Target, to: Target): Promise<void> {
  const { page, grasp, touch } = hands;
  await hands.reach(to, 'any', { isTouch: false });
  await hands.reach(from, 'any');
  const start = hands.point();
  // Bringing the one into view may have moved the other.
  await hands.reach(to, 'any', { isTouch: false });
  const end = hands.point();
  await touch(() => page.mouse.move(start.x, start.y));
  await touch(() => grasp.down(page));
  for (let step = 1; step <= DRAG_STEPS; step++) {
    const part = step / DRAG_STEPS;
    await touch(() => page.mouse.move(start.x + (end.x - start.x) * part, start.y + (end.y - start.y) * part));
  }
  await touch(() => grasp.up(page));
}

export async function press(hands: Hands, key: string, target: Target | undefined): Promise<void> {
  const { page, touch } = hands;
  if (target !== undefined) {
    const element = await hands.reach(target, 'fill', { isTouch: false });
    await touch((firm) => element.call(focus, [], firm));
  }
  await touch(() => page.keyboard.press(key));
}

type Distance = { target?: Target; delta_x?: number; delta_y?: number };

export async function scroll(hands: Hands, { target, delta_x = 0, delta_y = 0 }: Distance): Promise<void> {
  const { page, touch } = hands;
  if (target !== undefined) await hands.reach(target, 'any', { isTouch: false });
  if (delta_x === 0 && delta_y === 0) return;
  const size = page.viewportSize() ?? { width: 0, height: 0 };
  const over = target === undefined ? { x: size.width / 2, y: size.height / 2 } : hands.point();
  await touch(() => page.mouse.move(over.x, over.y));
  await touch(async (firm) => {
    const cdp = await hands.pages.cdp(page);
    await page.mouse.wheel(delta_x, delta_y);
    // The page moves with its next frame, not with the wheel.
    await within(firm.atMost(PAINT_MS), passFrame(cdp)).catch(() => undefined);
  });
}

/** Runs in the page. A label stands for its field. */
function focus(element: Element): void {
  const field: unknown = ('control' in element ? element.control : undefined) ?? element;
  (field as HTMLElement).focus();
}
