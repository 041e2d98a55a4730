// Clicks, hovers, drags and scrolls.

import type { Target } from '@pilothouse/contract';
import { within } from '../common/deadline.ts';
import { StepFailure } from '../common/failure.ts';
import type { FoundElement } from '../dom/element.ts';
import { waitForNextFrame } from '../pages/next-frame.ts';
import type { ActionTools } from './action-tools.ts';

/** Moves between the ends of a drag: some pages only accept a drag whose pointer moves. */
const dragSteps = 8;
const paintMs = 300;
const maxLooks = 3;

type Point = { x: number; y: number };

export async function click(tools: ActionTools, target: Target, { count = 1 } = {}): Promise<void> {
  const element = await tools.reach(target, 'press');
  await clickOn(tools, element, tools.point(), count);
}

/** The page may move before the click: with the pointer there, the element is looked for once more. */
export async function clickOn(tools: ActionTools, element: FoundElement, point: Point, count = 1): Promise<void> {
  const { page, mouseButton, touch, deadline } = tools;
  let { x, y } = point;
  await touch(() => page.mouse.move(x, y));
  for (let look = 0; !(await element.isAt({ x, y }, deadline)); look++) {
    // A page that puts something else under the pointer would receive the click itself.
    if (look === maxLooks) throw new StepFailure('covered', 'something else comes over the element with the pointer');
    ({ x, y } = (await element.ready({ isTouch: true }, deadline)).point);
    await touch(() => page.mouse.move(x, y));
  }
  for (let clickCount = 1; clickCount <= count; clickCount++) {
    for (let attempt = 1; !(await pressOnce(tools, { x, y }, clickCount)); attempt++)
      if (attempt === maxLooks) throw new StepFailure('covered', 'the page changes with each touch');
  }

  /** False where the page changed under the hand since a person said yes, and nothing was clicked. */
  async function pressOnce({ isLetThrough }: ActionTools, at: Point, clickCount: number): Promise<boolean> {
    await touch(() => mouseButton.down(page, { clickCount }));
    // Another document may have come in its place: it gets no click.
    if (await isLetThrough({ isSeen: true })) {
      await touch(() => mouseButton.up(page, { clickCount }));
      return isLetThrough();
    }
    await touch(() => mouseButton.release());
    await touch(() => page.mouse.move(at.x, at.y));
    return false;
  }
}

export async function hover(tools: ActionTools, target: Target): Promise<void> {
  await tools.reach(target, 'any');
  const { x, y } = tools.point();
  await tools.touch(() => tools.page.mouse.move(x, y));
}

export async function drag(tools: ActionTools, from: Target, to: Target): Promise<void> {
  const { page, mouseButton, touch } = tools;
  await tools.reach(to, 'any', { isTouch: false });
  await tools.reach(from, 'any');
  const start = tools.point();
  // Scrolling one element into view may have moved the other.
  await tools.reach(to, 'any', { isTouch: false });
  const end = tools.point();
  await touch(() => page.mouse.move(start.x, start.y));
  await touch(() => mouseButton.down(page));
  for (let step = 1; step <= dragSteps; step++) {
    const part = step / dragSteps;
    await touch(() => page.mouse.move(start.x + (end.x - start.x) * part, start.y + (end.y - start.y) * part));
  }
  await touch(() => mouseButton.up(page));
}

type Distance = { target?: Target; delta_x?: number; delta_y?: number };

export async function scroll(tools: ActionTools, { target, delta_x = 0, delta_y = 0 }: Distance): Promise<void> {
  const { page, touch } = tools;
  if (target !== undefined) await tools.reach(target, 'any', { isTouch: false });
  if (delta_x === 0 && delta_y === 0) return;
  const size = page.viewportSize() ?? { width: 0, height: 0 };
  const over = target === undefined ? { x: size.width / 2, y: size.height / 2 } : tools.point();
  await touch(() => page.mouse.move(over.x, over.y));
  await touch(async (firm) => {
    const cdp = await tools.pages.cdp(page);
    await page.mouse.wheel(delta_x, delta_y);
    // The page scrolls with its next frame, not with the event.
    await within(firm.atMost(paintMs), waitForNextFrame(cdp)).catch(() => undefined);
  });
}
