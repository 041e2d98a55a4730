import type { Acted } from '@pilothouse/bus';
import type { Target } from '@pilothouse/contract';
import type { Locator, Page } from 'playwright-core';
import { type Deadline, within } from '../deadline.ts';
import { findTarget, type Purpose } from './find.ts';

/** How long an element that was found may be covered, moving or disabled before we say so. */
const READY_MS = 5000;

export type Touched = Pick<Acted, 'bbox' | 'point'>;

/** What an action works with: the page, the time it has, and a way to lay hold of an element. */
export type Hands = {
  page: Page;
  deadline: Deadline;
  /** Finds the element, brings it into view, and notes where it is just before it is touched. */
  reach(target: Target, purpose: Purpose): Promise<Locator>;
  /** The time for one act on an element that was reached. */
  actMs(): number;
  touched(): Touched;
  /** When the element was found, on the monotonic clock; undefined if none was looked for. */
  foundAt(): number | undefined;
};

export function createHands(page: Page, deadline: Deadline): Hands {
  let touched: Touched = { bbox: null, point: null };
  let foundAt: number | undefined;
  const actMs = () => Math.min(deadline.leftMs(), READY_MS);

  return {
    page,
    deadline,
    async reach(target, purpose) {
      const element = await findTarget(page, target, purpose, deadline);
      foundAt = performance.now();
      await element.scrollIntoViewIfNeeded({ timeout: actMs() });
      touched = await within(deadline, element.evaluate(measure, null, { timeout: actMs() }));
      return element;
    },
    actMs,
    touched: () => touched,
    foundAt: () => foundAt,
  };
}

type Rect = { x: number; y: number; width: number; height: number };
type Measurable = { getBoundingClientRect(): Rect; getClientRects(): Iterable<Rect> };
declare const innerWidth: number;
declare const innerHeight: number;

/** Runs in the page. The point is the middle of the visible part of the first box, which is where a click goes. */
function measure(element: Measurable): Touched {
  const { x, y, width, height } = element.getBoundingClientRect();
  const bbox = { x, y, width, height };
  const box = [...element.getClientRects()].find((rect) => rect.width * rect.height > 0.99) ?? bbox;
  const middle = (start: number, size: number, end: number) =>
    (Math.min(Math.max(start, 0), end) + Math.min(Math.max(start + size, 0), end)) / 2;
  return { bbox, point: { x: middle(box.x, box.width, innerWidth), y: middle(box.y, box.height, innerHeight) } };
}
