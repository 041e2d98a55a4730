// Replaces pages that crashed by fresh ones at the same addresses.

import type { Page } from 'playwright-core';
import { bestEffort } from '../common/best-effort.ts';
import { type Deadline, within } from '../common/deadline.ts';
import { closePage } from './close-page.ts';
import type { FrontPage } from './front-page.ts';

export type Repair = {
  run(deadline: Deadline): Promise<void>;
  isRunning(): boolean;
};

type Options = { all: () => Page[]; front: FrontPage; isCrashed: (page: Page) => boolean };

export function createRepair({ all, front, isCrashed }: Options): Repair {
  let running: Promise<void> | undefined;

  async function replaceAll(deadline: Deadline): Promise<void> {
    const inFront = front.current();
    for (const page of all().filter(isCrashed)) {
      const fresh = await within(deadline, page.context().newPage());
      const url = page.url();
      const loaded = fresh.goto(url, { timeout: deadline.leftMs(), waitUntil: 'domcontentloaded' });
      await bestEffort('load a crashed page again', loaded);
      if (page === inFront) front.show(fresh);
      else front.replace(page, fresh);
      // Not awaited: a dead page is slow to close.
      void bestEffort('close a crashed page', closePage(page));
    }
  }

  return {
    run(deadline) {
      // Two callers that open the session at once repair it once.
      running ??= replaceAll(deadline).finally(() => {
        running = undefined;
      });
      return running;
    },
    isRunning: () => running !== undefined,
  };
}
