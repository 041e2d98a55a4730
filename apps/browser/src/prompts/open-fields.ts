// The list of a `select`, or an input whose value is picked, that a person has opened: the picture does not show it. It is
// looked for after each press or key of the person, and while it is open.

import type { SelectList, ValuePicker } from '@pilothouse/contract';
import type { Page } from 'playwright-core';
import { bestEffort } from '../common/best-effort.ts';
import { type Deadline, startDeadline } from '../common/deadline.ts';
import { StepFailure } from '../common/failure.ts';
import type { FieldUse } from '../dom/injected/use-open-field.ts';
import type { OpenField } from '../dom/open-field.ts';
import { createPromptIds } from './prompt-ids.ts';

const lookMs = 1500;
/** Between two looks. */
const soonMs = 100;
const openMs = 500;
/** A page that is busy opens the list this long after the press. */
const busyMs = 3000;

export type OpenFields = {
  /** The person has pressed something. */
  touched(): void;
  shown(page: Page): { select: SelectList | null; picker: ValuePicker | null };
  /** Chooses or sets, in the field of this id. Returns whether its list or picker is still open. */
  use(page: Page, id: string, use: FieldUse, deadline: Deadline): Promise<boolean>;
  /** Forgets what is open, and looks no more until the next touch. */
  stop(): void;
};

type Options = {
  /** The page in front, unless it answers nothing because it crashed or has a dialog open. */
  page: () => Page | undefined;
  openFieldOf: (page: Page, deadline: Deadline) => Promise<OpenField | undefined>;
  /** Aborted when the session closes. */
  signal: AbortSignal;
  onChange: () => void;
};
type Found = { page: Page; id: string; open: OpenField };

export function createOpenFields({ page, openFieldOf, signal, onChange }: Options): OpenFields {
  let found: Found | undefined;
  const newPromptId = createPromptIds('f');
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;
  /** Rises when what is being looked for is no longer wanted. */
  let round = 0;
  let busyUntil = 0;

  function set(next: Found | undefined): void {
    const isSame = JSON.stringify(next && viewOf(next)) === JSON.stringify(found && viewOf(found));
    found = next;
    if (!isSame) onChange();
  }

  function lookIn(ms: number): void {
    if (signal.aborted) return;
    clearTimeout(timer);
    timer = setTimeout(() => void look(), ms).unref();
  }

  async function look(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    const begun = round;
    const front = page();
    const looked = front && openFieldOf(front, startDeadline(lookMs, signal)).then((open) => ({ open }));
    const result = looked && (await bestEffort('look for an open list', looked));
    isLooking = false;
    // Meanwhile the next person may have pressed something.
    if (begun !== round) return void (performance.now() < busyUntil && lookIn(0));
    // A page that does not answer has changed nothing, and one that is gone has nothing open.
    if (result && front) set(result.open && foundOf(front, result.open));
    else if (found?.page !== front) set(undefined);
    if (found) lookIn(openMs);
    else if (performance.now() < busyUntil || (looked && !result)) lookIn(soonMs);
  }

  function foundOf(front: Page, open: OpenField): Found {
    const isKnown = found?.open.world === open.world && found.open.field.number === open.field.number;
    return { page: front, open, id: isKnown && found ? found.id : newPromptId() };
  }

  return {
    touched() {
      busyUntil = performance.now() + busyMs;
      lookIn(found ? 0 : soonMs / 2);
    },
    shown(front) {
      const view = found?.page === front ? viewOf(found) : undefined;
      return { select: view?.select ?? null, picker: view?.picker ?? null };
    },
    async use(front, id, use, deadline) {
      if (found?.page !== front || found.id !== id) throw gone();
      const { outcome, isOpen } = await found.open.use(use, deadline);
      if (outcome === 'gone') throw gone();
      if (outcome === 'refused') throw new StepFailure('unsupported', 'the field does not take this');
      return isOpen;
    },
    stop() {
      round += 1;
      busyUntil = 0;
      clearTimeout(timer);
      set(undefined);
    },
  };
}

function viewOf({ id, open: { field, box } }: Found): { select?: SelectList; picker?: ValuePicker } {
  if (field.kind === 'select')
    return { select: { select_id: id, box, options: field.options, truncated: field.truncated } };
  const { type, value, min, max, step } = field;
  return { picker: { picker_id: id, type, box, value, min, max, step } };
}

const gone = () => new StepFailure('not_found', 'the list or picker is no longer open');
