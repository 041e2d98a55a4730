// Dialogs that a page opens while a person drives. A page with an open dialog does nothing else until it is answered.

import { within } from '../common/deadline.ts';
import { StepFailure } from '../common/failure.ts';
import { uncut } from './uncut.ts';

const answerMs = 2000;
const pollMs = 10;

/** `id`: in the view of the session. */
export type OpenDialog = { id?: string; accept(text?: string): Promise<void>; dismiss(): Promise<void> };

/** The dialog of the page in front, while one is open. */
export type DialogNow = () => OpenDialog | undefined;

/** Ends with the work, or with a dialog that the work opened: the work then ends when the dialog is answered. */
export async function untilDialog(dialog: DialogNow, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const asked = new Promise<void>((resolve) => {
    timer = setInterval(() => dialog() && resolve(), pollMs);
  });
  await Promise.race([work, asked]).finally(() => clearInterval(timer));
}

type Answer = { accept: boolean; text?: string | undefined; dialog_id?: string | undefined };

export async function answerDialog(dialog: DialogNow, { accept, text, dialog_id }: Answer): Promise<void> {
  const open = dialog();
  // Another one may have opened since.
  if (!open || (dialog_id !== undefined && dialog_id !== open.id))
    throw new StepFailure('not_found', 'no such dialog is open');
  await within(uncut(answerMs), accept ? open.accept(text) : open.dismiss());
}

export const dialogOpen = () => new StepFailure('dialog_open', 'the page asks something first');
