// What an action works with: the page, the time it has, and the only way to touch the browser.

import type { Acted, OnlyIf, StoredFile } from '@pilothouse/bus';
import type { Target } from '@pilothouse/contract';
import type { Page } from 'playwright-core';
import { type Deadline, within } from '../common/deadline.ts';
import type { Dom } from '../dom/dom.ts';
import type { FoundElement } from '../dom/element.ts';
import type { Purpose } from '../dom/injected/find.ts';
import type { DocumentsOf } from '../dom/worlds/typing-target.ts';
import type { InFlight } from '../driver/in-flight.ts';
import type { MouseButton } from '../driver/mouse-button.ts';
import type { BlockedRequests } from '../guard/blocked.ts';
import type { Dialogs } from '../pages/dialogs.ts';
import type { Files } from '../pages/file-transfer.ts';
import type { Pages } from '../pages/pages.ts';
import type { SiteChanges } from '../pages/site-changes.ts';
import type { ActGate } from './gate.ts';
import { checkElement, checkPage } from './only-if.ts';

/** How long an element may stay covered, moving or disabled before the step fails. */
const readyMs = 5000;

type ActionResult = Pick<Acted, 'bbox' | 'point'> & { data?: unknown; file: StoredFile | null };

type Options = {
  page: Page;
  pages: Pages;
  eyes: Dom;
  dialogs: Dialogs;
  files: Files;
  mouseButton: MouseButton;
  inFlight: InFlight;
  refused: BlockedRequests;
  sites: SiteChanges;
  documentsOf: DocumentsOf;
  deadline: Deadline;
  /** Throws where the page must not be touched any more. */
  check: () => void;
  /** What must hold of the page and of the element that `subject` names. */
  onlyIf: OnlyIf | undefined;
  /** Holds the touch to the rules of the task; undefined for what the host does by itself. */
  gate: ActGate | undefined;
  subject: Target | undefined;
  isDrag: boolean;
};

export type ActionTools = Omit<Options, 'inFlight' | 'check' | 'onlyIf' | 'gate' | 'subject' | 'isDrag'> & {
  /**
   * Runs one operation that cannot be divided; everything that changes anything goes through here. `firm` is for what
   * the operation waits for: a new driver waits for it too, and does not cut it short.
   */
  touch<T>(operation: (firm: Deadline) => Promise<T>): Promise<T>;
  /** Finds the element, scrolls it into view, and notes where it is just before it is touched. */
  reach(target: Target, purpose: Purpose, options?: { isTouch: boolean }): Promise<FoundElement>;
  /** Judges an act that has no element before anything of it is done. It is judged again with each touch. */
  checkAct(): Promise<void>;
  /**
   * Whether the page still was what a person said yes to when the touch came there; true where none was needed. Where it is not,
   * nothing was done by it, and the next touch is judged again. `isSeen`: its document has to have seen it, so that another one that
   * came in its place does not count.
   */
  isLetThrough(options?: { isSeen: boolean }): Promise<boolean>;
  /** Where to touch the element that was reached last. */
  point(): { x: number; y: number };
  /** Adds data or a file to the result. */
  bring(what: { data: unknown } | { file: StoredFile }): void;
  result(): ActionResult;
  hasTouched(): boolean;
  /** When the element was found, on the monotonic clock; undefined if the action looked for none. */
  foundAt(): number | undefined;
  release(): void;
};

export function createActionTools({ inFlight, check, onlyIf, gate, subject, isDrag, ...rest }: Options): ActionTools {
  const { eyes, deadline } = rest;
  let result: ActionResult = { bbox: null, point: null, file: null };
  let foundAt: number | undefined;
  let hasTouched = false;
  const firm = deadline.until(new AbortController().signal);
  const reached: FoundElement[] = [];
  let held: FoundElement | undefined;

  /** Once the button went down, what follows belongs to the same touch, and what it changed is its own doing. */
  let isPressed = false;
  /** The same for the element that was reached last: an option of a list is an act of its own. */
  let isReachedPressed = false;
  async function checkTouched(): Promise<void> {
    const isHeldTo = onlyIf !== undefined && !isPressed;
    const isGated = gate !== undefined && !isReachedPressed;
    if (isHeldTo) checkPage(onlyIf, rest.page);
    const last = reached.at(-1);
    // A drag takes one element, and drops it on the other.
    const touched = isDrag && held && last !== held ? { element: held, onto: last } : { element: last };
    const seen = isGated ? await gate.look(touched, deadline) : undefined;
    const known = touched.element === held ? seen?.look?.identity : undefined;
    if (isHeldTo && held) await checkElement(onlyIf, held, known, deadline);
    if (seen) await gate?.judge(touched, seen, result.bbox, deadline);
  }

  return {
    ...rest,
    async touch(operation) {
      // Pages that open and navigations that begin now count as caused by this touch.
      await within(deadline, rest.pages.touch(rest.page, reached.at(-1)));
      await checkTouched();
      // The page may show another site since it was looked at.
      check();
      const done = await inFlight.run(deadline, () => {
        hasTouched = true;
        return operation(firm);
      });
      isReachedPressed ||= rest.mouseButton.isDown(rest.page);
      isPressed ||= isReachedPressed;
      return done;
    },
    async reach(target, purpose, { isTouch } = { isTouch: true }) {
      const found = await eyes.find(target, purpose, deadline);
      reached.push(found);
      foundAt = performance.now();
      isReachedPressed = false;
      if (target === subject) held = found;
      result = { ...result, ...(await found.ready({ isTouch }, deadline.atMost(readyMs))) };
      await checkTouched();
      return found;
    },
    checkAct: checkTouched,
    async isLetThrough({ isSeen } = { isSeen: false }) {
      const state = await gate?.held(deadline);
      if (state === undefined || state === 'passed' || (!isSeen && state !== 'stopped')) return true;
      isReachedPressed = false;
      isPressed = false;
      return false;
    },
    point() {
      if (!result.point) throw new Error('nothing was reached');
      return result.point;
    },
    bring(what) {
      result = { ...result, ...what };
    },
    result: () => result,
    hasTouched: () => hasTouched,
    foundAt: () => foundAt,
    release: () => {
      gate?.letGo();
      for (const found of reached) found.release();
    },
  };
}
