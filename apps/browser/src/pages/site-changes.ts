// Whether the page in front is still of the site where the last step left it. A page may go wherever it likes, and its own
// fields are its own; but a frame of another site can make the whole page leave too, and the next step would then type
// into a site that no step went to.

import type { CDPSession, Page } from 'playwright-core';
import { StepFailure } from '../common/failure.ts';
import { createNavigationCauses, type NavigationCause } from './navigation-cause.ts';
import { type PageSite, pageSiteOf } from './page-site.ts';

/** A navigation by the page itself within this time of a touch, or of another navigation from one, comes of the touch. */
const consequenceMs = 30_000;
/** As long as Chromium lets a frame do things in the name of a touch. */
const gestureMs = 5000;

type PageState = {
  /** Where the last step left it. */
  left: PageSite | undefined;
  /** Where it is. */
  now: PageSite | undefined;
  changedBy: 'itself' | 'another' | undefined;
  /** The last touch was in a frame of it. */
  isFrameTouched: boolean;
};

export type SiteChanges = {
  /** `frameId`: the page's main frame. */
  follow(page: Page, session: CDPSession, frameId: string): void;
  /** Where the page was when the host began to follow it. */
  begin(page: Page, url: string, domain: string): void;
  /** The page itself begins to go there. */
  announce(page: Page, url: string): void;
  /** Something is done to the page, in its own document or in a frame of it. */
  touched(page: Page, isInFrame: boolean): void;
  /** Where the page goes until the returned function is called, the host sent it. */
  sending(page: Page): () => void;
  /** The driver has seen or named where the page is now. */
  accept(page: Page): void;
  /** A step saw on the page what it waited for: that accepts a page that went there by itself. */
  recognise(page: Page): void;
  /** Throws `site_changed`. */
  check(page: Page): void;
  /** The same for a person, who sees where a page goes by itself. */
  checkForPerson(page: Page): void;
};

export function createSiteChanges(now: () => number = () => performance.now()): SiteChanges {
  const states = new WeakMap<Page, PageState>();
  const causes = createNavigationCauses();
  let touchedAt = now();

  function stateOf(page: Page): PageState {
    const known = states.get(page) ?? { left: undefined, now: undefined, changedBy: undefined, isFrameTouched: false };
    states.set(page, known);
    return known;
  }

  function isOfTouch(page: Page, cause: NavigationCause): boolean {
    const sinceMs = now() - touchedAt;
    if (cause === 'us') return true;
    if (cause === 'itself') return sinceMs <= consequenceMs;
    return (cause === 'history' || stateOf(page).isFrameTouched) && sinceMs <= gestureMs;
  }

  function accept(page: Page): void {
    const state = stateOf(page);
    Object.assign(state, { left: state.now, changedBy: undefined });
  }

  function arrived(page: Page, site: PageSite, cause: NavigationCause): void {
    const state = stateOf(page);
    state.now = site;
    if (state.left === undefined || isSame(state.left, site, cause)) return void accept(page);
    if (!isOfTouch(page, cause)) {
      state.changedBy = cause === 'itself' && state.changedBy !== 'another' ? 'itself' : 'another';
      return;
    }
    // A page that was made to leave does not become the last step's by going on.
    if (state.changedBy !== undefined && cause !== 'us') return;
    accept(page);
    if (cause === 'itself') touchedAt = now();
  }

  function follow(page: Page, session: CDPSession, mainFrame: string): void {
    const state = stateOf(page);
    session.on('Page.frameStartedNavigating', ({ frameId, ...load }) => {
      if (frameId !== mainFrame || /SameDocument$|^sameDocument/.test(load.navigationType)) return;
      causes.started(page, load, state.changedBy !== undefined);
    });
    session.on('Page.frameNavigated', ({ frame }) => {
      const site = frame.parentId === undefined ? pageSiteOf(frame.url, frame.domainAndRegistry) : undefined;
      if (site === undefined) return;
      arrived(page, site, causes.take(page, frame.loaderId));
    });
  }

  return {
    begin(page, url, domain) {
      const state = stateOf(page);
      state.now ??= pageSiteOf(url, domain);
      state.left ??= state.now;
    },
    follow,
    announce: causes.announce,
    touched(page, isInFrame) {
      stateOf(page).isFrameTouched = isInFrame;
      touchedAt = now();
    },
    sending(page) {
      touchedAt = now();
      return causes.sending(page);
    },
    accept,
    recognise(page) {
      if (stateOf(page).changedBy === 'itself') accept(page);
    },
    check(page) {
      if (stateOf(page).changedBy !== undefined) throw siteChanged();
    },
    checkForPerson(page) {
      if (stateOf(page).changedBy === 'another') throw siteChangedForPerson();
    },
  };
}

/** A page may move about within its site; another document may not take it even to another port of it. */
const isSame = (left: PageSite, now: PageSite, cause: NavigationCause): boolean =>
  cause === 'itself' ? left.site === now.site : left.origin === now.origin;

const siteChanged = () =>
  new StepFailure(
    'site_changed',
    'the page in front is now of another site than the one the last step left; open it by a step, or name it',
  );
const siteChangedForPerson = () =>
  new StepFailure(
    'site_changed',
    'something other than the page took it to another site; press on the page to go on there',
  );
