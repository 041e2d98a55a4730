// The page in front of a session as text, as its host reads it now. It changes nothing, and shows nothing while a person drives.

import { AppError, type PageView, type QueryOf, type ReplyOf, type routes } from '@pilothouse/contract';
import type { HostClient, PageSeen, RedactorOf } from '@pilothouse/fleet';
import type { Caller, Store } from '@pilothouse/store';
import type { SessionReads } from './session-reads.ts';

type Routes = typeof routes;
type Options = {
  store: Pick<Store, 'browsers'>;
  hosts: Pick<HostClient, 'see'>;
  reads: SessionReads;
  redactorOf: RedactorOf;
};

/** A host reads a large page in less. */
const seeMs = 5000;
const retryAfterSecs = 2;

export function createPageViews({ store, hosts, reads, redactorOf }: Options) {
  /** The host withholds the text by itself; this says why. Returns the host. */
  async function requireUndriven(sessionId: string): Promise<string> {
    const browser = await store.browsers.of(sessionId);
    if (!browser?.is_live || !browser.host_id) throw new AppError('conflict', { detail: notOpen });
    if (browser.driver !== null) throw new AppError('takeover_conflict', { detail: driven });
    return browser.host_id;
  }

  return async (
    caller: Caller,
    id: string,
    { from }: QueryOf<Routes['getPageView']>,
  ): Promise<ReplyOf<Routes['getPageView']>> => {
    const session = await reads.require(caller, id);
    const hostId = await requireUndriven(session.id);
    const seen = await hosts.see({ hostId, sessionId: session.id }, { from, timeoutMs: seeMs });
    if (seen.type !== 'done') throw new AppError('overloaded', { detail: silent, retryAfterSecs });
    // A person may have begun to drive meanwhile.
    await requireUndriven(session.id);
    const { words } = await redactorOf(session.id);
    return { success: true, view: viewOf(words(seen.reply)) };
  };
}
export type PageViews = ReturnType<typeof createPageViews>;

/** Without the facts of each element, which are for policy. */
const viewOf = ({ view: { url, title, pages, dialog, text, next } }: PageSeen): PageView => ({
  ...{ url, title, dialog, text, next },
  pages: pages.map(({ page, url, title, is_front }) => ({ page, url, title, active: is_front })),
});

const notOpen = 'The browser of this session is not open. A task in the session opens it.';
const driven = 'A person drives this session. What the page shows is withheld until they hand it back.';
const silent = 'The host of this browser did not answer in time.';
