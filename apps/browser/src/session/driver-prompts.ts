// Puts together what a person who drives is told beside the picture, and who else is told of the open pages.

import type { Dialog } from '@pilothouse/bus';
import type { Page } from 'playwright-core';
import { type Deadline, within } from '../common/deadline.ts';
import type { Dom } from '../dom/dom.ts';
import type { HandOver } from '../driver/hand-over.ts';
import type { BlockedRequests } from '../guard/blocked.ts';
import type { PersonInput } from '../input/input.ts';
import type { Privacy } from '../live/privacy.ts';
import type { Dialogs } from '../pages/dialogs.ts';
import type { Pages } from '../pages/pages.ts';
import { createCopiedTexts } from '../prompts/copied-text.ts';
import { createDriverDialogs, type DriverDialogs } from '../prompts/driver-dialogs.ts';
import { createOpenFields, type OpenFields } from '../prompts/open-fields.ts';
import { createOpenPages } from '../prompts/open-pages.ts';
import { createPageTroubles } from '../prompts/page-trouble.ts';
import { createFollowedView, type FollowedView, type ViewParts } from '../prompts/session-view.ts';
import { siteOnly } from './observe.ts';

export type DriverPrompts = {
  fields: OpenFields;
  dialogs: DriverDialogs;
  view: Pick<FollowedView, 'next' | 'changed'> & {
    /** The view as it is now, with the pages asked where they are. */
    fresh(deadline: Deadline): Promise<ReturnType<FollowedView['now']>>;
  };
  onDialog(page: Page, dialog: Dialog | null): void;
  onCopied(text: string): void;
  /** The same, and what is told follows the driver. */
  following(handOver: HandOver): HandOver;
  /** Ends what pages asked of the person who drove. */
  end(): Promise<void>;
  close(): void;
};

type Options = {
  pages: Pages;
  dialogs: Dialogs;
  privacy: Privacy;
  eyesOf: (page: Page) => Dom;
  chooserOf: PersonInput['chooserOf'];
  refused: Pick<BlockedRequests, 'refusalOf'>;
  /** Whether a program is connected to the session. */
  hasProgram: () => boolean;
  firstEpoch: number;
  dialogAnswerMs: number | undefined;
  epoch: () => number;
  /** Aborted when the session closes. */
  signal: AbortSignal;
};

export function createDriverPrompts(options: Options): DriverPrompts {
  const { pages, privacy, eyesOf, chooserOf, epoch, signal } = options;
  const view = createFollowedView(read);
  const onChange = view.changed;
  const isMute = (page: Page) => options.dialogs.of(page) !== null || pages.isCrashed(page) || page.isClosed();
  /** The epoch whose driver has begun: what was asked of the driver before is gone. */
  let begunEpoch = options.firstEpoch;
  const isTold = () => privacy.isDriven() && begunEpoch === epoch();
  const dialogs = createDriverDialogs({
    dialogs: options.dialogs,
    isDriven: privacy.isDriven,
    onChange,
    answerMs: options.dialogAnswerMs,
  });
  const copied = createCopiedTexts(onChange);
  const fields = createOpenFields({
    page: () => (isMute(pages.current()) ? undefined : pages.current()),
    openFieldOf: (page, deadline) => eyesOf(page).openField(deadline),
    signal,
    onChange,
  });
  const troubles = createPageTroubles({ pages, refusalOf: options.refused.refusalOf, onChange });
  const openPages = createOpenPages({
    pages,
    reasonOf: (page) => privacy.reasonOf(page),
    tellable: (page, place) => (privacy.hidesPlace(page) ? siteOnly(place) : place),
    isFollowed: view.isFollowed,
    hasProgram: options.hasProgram,
    troubleOf: troubles.of,
    signal,
    onChange,
  });

  function read(): ViewParts {
    const page = pages.current();
    const asks = { dialog: dialogs.shown(page), file_chooser: chooserOf(page), ...fields.shown(page) };
    const driver = isTold() ? { page: pages.id(page), ...asks } : null;
    return { epoch: epoch(), pages: openPages.list(), driver, copied: isTold() ? copied.now() : null };
  }

  return {
    fields,
    dialogs,
    view: {
      next: view.next,
      changed: view.changed,
      async fresh(deadline) {
        if (!view.isFollowed()) await waitFor(openPages.refresh(), deadline);
        return view.now();
      },
    },
    onDialog: dialogs.changed,
    onCopied: (text) => isTold() && copied.put(text),
    following: (handOver) => async (offered, who) => {
      const isTaken = await handOver(offered, who);
      if (isTaken && begunEpoch !== offered) begunEpoch = offered;
      if (isTaken) privacy.isDriven() ? dialogs.begin() : dialogs.pause();
      onChange();
      return isTaken;
    },
    async end() {
      copied.clear();
      await dialogs.end();
    },
    close() {
      fields.stop();
      copied.clear();
      openPages.close();
      troubles.close();
      view.close();
    },
  };
}

/** Pages that do not answer in time are shown as they were. */
const freshMs = 150;
async function waitFor(work: Promise<void>, deadline: Deadline): Promise<void> {
  await within(deadline.atMost(freshMs), work).catch(() => undefined);
}
