import type { Acted, StoredFile } from '@pilothouse/bus';
import type { Target } from '@pilothouse/contract';
import type { Page } from 'playwright-core';
import type { Deadline } from '../deadline.ts';
import type { Dialogs } from '../dialogs.ts';
import type { Eyes } from '../eyes/eyes.ts';
import type { Found } from '../eyes/found.ts';
import type { Purpose } from '../eyes/page/find.ts';
import type { Files } from '../files.ts';
import type { Grasp } from '../grasp.ts';
import type { Pages } from '../pages.ts';
import type { Refused } from '../refused.ts';
import type { Touching } from '../touching.ts';

/** How long an element that was found may be covered, moving or disabled before we say so. */
const READY_MS = 5000;

type Done = Pick<Acted, 'bbox' | 'point'> & { data?: unknown; file: StoredFile | null };

type Parts = {
  page: Page;
  pages: Pages;
  eyes: Eyes;
  dialogs: Dialogs;
  files: Files;
  grasp: Grasp;
  touching: Touching;
  refused: Refused;
  deadline: Deadline;
};

/** What an action works with: the page, the time it has, and a way to lay hold of an element. */
export type Hands = Omit<Parts, 'touching'> & {
  /**
   * Does one thing to the browser that cannot be divided; everything that changes anything goes through here. `firm` is
   * for what it waits for: a new driver waits for it too, and does not cut it off.
   */
  touch<T>(work: (firm: Deadline) => Promise<T>): Promise<T>;
  /** Finds the element, brings it into view, and notes where it is just before it is touched. */
  reach(target: Target, purpose: Purpose, options?: { isTouch: boolean }): Promise<Found>;
  /** Where the element that was reached last is to be touched. */
  point(): { x: number; y: number };
  /** What the step brought to light. */
  bring(what: { data: unknown } | { file: StoredFile }): void;
  done(): Done;
  hasTouched(): boolean;
  /** When the element was found, on the monotonic clock; undefined if none was looked for. */
  foundAt(): number | undefined;
  release(): void;
};

export function createHands({ touching, ...parts }: Parts): Hands {
  const { eyes, deadline } = parts;
  let done: Done = { bbox: null, point: null, file: null };
  let foundAt: number | undefined;
  let hasTouched = false;
  const firm = deadline.until(new AbortController().signal);
  const reached: Found[] = [];

  return {
    ...parts,
    touch(work) {
      return touching.touch(deadline, () => {
        hasTouched = true;
        return work(firm);
      });
    },
    async reach(target, purpose, { isTouch } = { isTouch: true }) {
      const found = await eyes.find(target, purpose, deadline);
      reached.push(found);
      foundAt = performance.now();
      done = { ...done, ...(await found.ready({ isTouch }, deadline.atMost(READY_MS))) };
      return found;
    },
    point() {
      if (!done.point) throw new Error('nothing was reached');
      return done.point;
    },
    bring(what) {
      done = { ...done, ...what };
    },
    done: () => done,
    hasTouched: () => hasTouched,
    foundAt: () => foundAt,
    release: () => {
      for (const found of reached) found.release();
    },
  };
}
