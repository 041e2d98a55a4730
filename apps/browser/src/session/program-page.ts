// The page that a program means by one of its sessions. Private tabs of a person are none of a program's.

import type { Page } from 'playwright-core';
import type { Pages } from '../pages/pages.ts';

/** Undefined where the session has no page of this target. */
export async function pageOfTarget(pages: Pages, targetId: string | undefined): Promise<Page | undefined> {
  if (targetId === undefined) return undefined;
  for (const page of pages.all()) if (!pages.isBeside(page) && (await pages.mainFrame(page)) === targetId) return page;
  return undefined;
}
