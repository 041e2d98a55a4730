// Who made a page leave its document: the host, the page itself, also by going back in its history, or something else,
// such as a frame of another site.

import type { Page } from 'playwright-core';

export type NavigationCause = 'us' | 'itself' | 'history' | 'another';

export type NavigationCauses = {
  /** The page itself begins to go to this address. */
  announce(page: Page, url: string): void;
  /** Where the page goes until the returned function is called, the host sent it. */
  sending(page: Page): () => void;
  /** The browser begins a load. `hasLeft`: the page is not where the last step left it. */
  started(page: Page, load: { loaderId: string; url: string; navigationType: string }, hasLeft: boolean): void;
  /** Who caused the load that the page now shows. Known once. */
  take(page: Page, loaderId: string): NavigationCause;
};

const maxUnderWay = 16;

/** `announced`: addresses that the page itself said it goes to. `causes`: by the browser's id of the load. */
type Pending = { announced: string[]; causes: Map<string, NavigationCause> };

export function createNavigationCauses(): NavigationCauses {
  const pending = new WeakMap<Page, Pending>();
  const sent = new Map<Page, number>();

  function pendingOf(page: Page): Pending {
    const known = pending.get(page) ?? { announced: [], causes: new Map() };
    pending.set(page, known);
    return known;
  }

  function causeOf(page: Page, url: string, kind: string, hasLeft: boolean): NavigationCause {
    const { announced } = pendingOf(page);
    // A reload names no address.
    if (sent.has(page) && !(kind.startsWith('reload') && hasLeft)) return 'us';
    const index = announced.indexOf(addressOf(url));
    if (index >= 0) announced.splice(0, index + 1);
    if (index >= 0) return 'itself';
    // Frames have one history with the page, and any of them may go back in it. The browser does not say which did.
    return kind.startsWith('history') && page.frames().length === 1 ? 'history' : 'another';
  }

  return {
    announce(page, url) {
      const { announced } = pendingOf(page);
      announced.push(addressOf(url));
      announced.splice(0, announced.length - maxUnderWay);
    },
    sending(page) {
      sent.set(page, (sent.get(page) ?? 0) + 1);
      return () => {
        const left = (sent.get(page) ?? 1) - 1;
        if (left === 0) sent.delete(page);
        else sent.set(page, left);
      };
    },
    started(page, { loaderId, url, navigationType }, hasLeft) {
      const { causes } = pendingOf(page);
      causes.set(loaderId, causeOf(page, url, navigationType, hasLeft));
      for (const old of [...causes.keys()].slice(0, -maxUnderWay)) causes.delete(old);
    },
    take(page, loaderId) {
      const { causes } = pendingOf(page);
      const cause = causes.get(loaderId) ?? (sent.has(page) ? 'us' : 'another');
      causes.delete(loaderId);
      return cause;
    },
  };
}

/** Without what the browser may change on the way: the scheme, where a site asks for the safe one, and the fragment. */
function addressOf(url: string): string {
  const { host, pathname, search } = URL.parse(url) ?? { host: '', pathname: url, search: '' };
  return `${host}${pathname}${search}`;
}
