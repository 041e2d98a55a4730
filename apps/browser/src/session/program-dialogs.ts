// Answers of one program to the dialogs of pages. Each is for the page in whose session it came and, where it was judged, for the
// dialog that was judged: the next one may be open by now.

import type { Dialog } from '@pilothouse/bus';
import type { Page } from 'playwright-core';
import type { DialogAnswered } from '../cdp/filter/command-filter.ts';
import type { GuestAct } from '../cdp/policy/judge.ts';
import { type Deadline, pause } from '../common/deadline.ts';
import type { Dialogs } from '../pages/dialogs.ts';
import type { Pages } from '../pages/pages.ts';
import { pageOfTarget } from './program-page.ts';

/** A program may hear of a dialog before the host does. */
const openMs = 1000;
const againMs = 20;

export type ProgramDialogs = {
  /** What the page asks; null where it asks nothing. */
  open(page: Page, deadline: Deadline): Promise<Dialog | null>;
  /** The command may answer what the page asks now, and nothing that it asks later. */
  judged(command: GuestAct, page: Page): void;
  answer(command: GuestAct, targetId: string | undefined): Promise<DialogAnswered>;
};

export function createProgramDialogs({ pages, dialogs }: { pages: Pages; dialogs: Dialogs }): ProgramDialogs {
  const judged = new WeakMap<GuestAct, Dialog | null>();
  return {
    async open(page, deadline) {
      const soon = deadline.atMost(openMs);
      while (dialogs.of(page) === null && !soon.isOver()) await pause(againMs, soon);
      return dialogs.of(page);
    },
    judged: (command, page) => void judged.set(command, dialogs.of(page)),
    async answer(command, targetId) {
      const page = await pageOfTarget(pages, targetId);
      const open = page ? dialogs.of(page) : null;
      if (judged.has(command) && judged.get(command) !== open) return 'gone';
      if (!page || !open) return 'unknown';
      const { accept, promptText } = command.params;
      const text = typeof promptText === 'string' ? promptText : undefined;
      return (await dialogs.answer(page, accept === true, text)) ? 'done' : 'gone';
    },
  };
}
