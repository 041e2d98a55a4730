import type { BrowserContext, Page } from 'playwright-core';
import { followPages, type Pages } from '../src/pages.ts';

const followed = new WeakMap<BrowserContext, Pages>();
const ignore = () => undefined;

/** The pages of a context, of which nobody hears anything. */
export const followQuietly = (context: BrowserContext, first: Page): Pages =>
  followPages({
    context,
    first,
    maxPages: 20,
    onPage: ignore,
    onRefused: ignore,
    onCrash: ignore,
    onBurst: ignore,
    onLoad: ignore,
  });

/** The same with this one in front. Follows each context once. */
export function follow(context: BrowserContext, front: Page): Pages {
  const pages = followed.get(context) ?? followQuietly(context, front);
  followed.set(context, pages);
  return { ...pages, current: () => front };
}
