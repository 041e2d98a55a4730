// Closes the pages that a session opens beyond its limit, and reports them as a limit that was hit.

import type { Page } from 'playwright-core';
import { bestEffort } from '../common/best-effort.ts';
import type { LimitHit } from '../limits/limits.ts';
import { closePage } from './close-page.ts';
import { createPageFlood } from './page-flood.ts';

type Options = { maxPages: number; onRefused: (hit: LimitHit) => void };

/** Call the returned function with a page that has begun: closed before that, it leaves its opener waiting for ever. */
export function createPageLimit({ maxPages, onRefused }: Options): (page: Page) => void {
  const flood = createPageFlood(maxPages);
  let isFlooded = false;

  return (page) => {
    // Then the whole browser ends, and closing single pages would only be more work.
    if (isFlooded) return;
    const news = flood.add();
    isFlooded = news === 'flood';
    if (news === 'first') onRefused(hitOf(`more than ${maxPages} pages; further ones are closed`, false));
    if (news === 'flood') onRefused(hitOf(`ever more pages; ${maxPages} are allowed`, true));
    else void bestEffort('close a page beyond the limit', closePage(page));
  };
}

const hitOf = (message: string, is_ended: boolean): LimitHit => ({ wall: 'pages', message, is_ended });
