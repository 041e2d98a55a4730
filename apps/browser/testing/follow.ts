import type { BrowserContext, Page } from 'playwright-core';
import { followPages, type Pages } from '../src/pages.ts';

const followed = new WeakMap<BrowserContext, Pages>();

/** The pages of a context, with this one in front. Follows each context once. */
export function follow(context: BrowserContext, front: Page): Pages {
  const ignore = () => undefined;
  const pages =
    followed.get(context) ??
    followPages({ context, first: front, maxPages: 20, onPage: ignore, onRefused: ignore, onCrash: ignore });
  followed.set(context, pages);
  return { ...pages, current: () => front };
}
