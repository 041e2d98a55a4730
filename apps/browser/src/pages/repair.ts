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
  /** A dead page may be slow to close. It is not replaced twice. */
  const replaced = new WeakSet<Page>();
  let running: Promise<void> | undefined;
  const waiting = () => all().filter((page) => isCrashed(page) && !replaced.has(page));

  async function replaceAll(deadline: Deadline): Promise<void> {
    const inFront = front.current();
    for (const page of waiting()) {
      const fresh = await within(deadline, page.context().newPage());
      replaced.add(page);
      const url = page.url();
      const loaded = fresh.goto(url, { timeout: deadline.leftMs(), waitUntil: 'domcontentloaded' });
      await bestEffort('load a crashed page again', loaded);
      if (page === inFront) front.show(fresh);
      else front.replace(page, fresh);
      void bestEffort('close a crashed page', closePage(page));
    }
  }

  return {
    async run(deadline) {
      // Two callers that open the session at once repair it once. What crashed meanwhile is repaired after that.
      await running;
      if (waiting().length === 0) return;
      running ??= replaceAll(deadline).finally(() => {
        running = undefined;
      });
      await running;
    },
    isRunning: () => running !== undefined,
  };
}
