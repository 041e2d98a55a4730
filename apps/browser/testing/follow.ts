import type { BrowserContext, Page } from 'playwright-core';
import { createDom, type Dom } from '../src/dom/dom.ts';
import type { DocumentsOf } from '../src/dom/worlds/typing-target.ts';
import { followPages, type Pages } from '../src/pages/pages.ts';
import { createPopups } from '../src/pages/popups.ts';
import { createSiteChanges, type SiteChanges } from '../src/pages/site-changes.ts';
import { soon } from './stage.ts';

const followed = new WeakMap<BrowserContext, Pages>();
const ignore = () => undefined;

export type Followed = {
  pages: Pages;
  sites: SiteChanges;
  documentsOf: DocumentsOf;
  domOf: (page: Page) => Dom;
};

/** The pages of a context each with its `Dom`, as a session has them. */
export function followWithDom(context: BrowserContext, first: Page, onBehind: () => void = ignore): Followed {
  const dom = new WeakMap<Page, Dom>();
  const sites = createSiteChanges();
  const domOf = (page: Page): Dom => {
    const onLeaving = (url: string) => sites.announce(page, url);
    const fields = {
      onNews: ignore,
      onGone: ignore,
      onDocument: ignore,
      onUnmasked: ignore,
      onMasked: ignore,
      onLeaving,
    };
    const known = dom.get(page) ?? createDom({ page, cdp: () => pages.cdp(page), fields });
    dom.set(page, known);
    return known;
  };
  const documentsOf: DocumentsOf = (page, deadline) => domOf(page).documents(deadline);
  const pages = followPages({
    context,
    first,
    maxPages: 20,
    popups: createPopups(documentsOf),
    sites,
    onBehind,
    // Not before `pages` is there.
    onPage: (page) => void Promise.resolve().then(() => domOf(page).mask(soon()).catch(ignore)),
    onRefused: ignore,
    onCrash: ignore,
    onBurst: ignore,
    onLoad: ignore,
  });
  return { pages, sites, documentsOf, domOf };
}

/** The pages of a context, of which nobody hears anything. */
const followQuietly = (context: BrowserContext, first: Page): Pages =>
  followPages({
    context,
    first,
    maxPages: 20,
    popups: createPopups(async () => []),
    sites: createSiteChanges(),
    onBehind: ignore,
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
