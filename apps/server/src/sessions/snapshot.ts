// Everything that restores the view of a session, whether its host is alive or not.

import type { BrowserRoute, OpenPage, Takeover } from '@pilothouse/contract';
import type { HostClient } from '@pilothouse/fleet';
import { messageStateOf, type ReadSession, type Store, type TakeoverRow, takeoverOf } from '@pilothouse/store';
import { type Bytes, blobOf } from '../http/embedded.ts';
import { cursorOf } from '../live/cursor.ts';
import type { SeenSnapshot } from '../live/seen-snapshot.ts';
import type { SeenView } from '../live/session-view.ts';
import { type Picture, withhold } from '../live/withheld.ts';
import { createLivePicture } from './live-picture.ts';
import { viewFrame, viewNavigation, viewOverlay, viewSession } from './sessions.view.ts';

/** The last input that the host has accepted of the person who drives; null if it is not known. */
export type LastInputSeqOf = (takeover: TakeoverRow) => Promise<number | null>;
type Options = { store: Store; hosts: HostClient; lastInputSeqOf: LastInputSeqOf };

const overlaysShown = 40;
const navigationsShown = 20;

export function createSnapshots({ store, hosts, lastInputSeqOf }: Options) {
  const livePictureOf = createLivePicture({ store, hosts });

  async function storedPictureOf(sessionId: string): Promise<Picture<Bytes> | undefined> {
    const row = await store.frames.of(sessionId);
    const image = row && (await blobOf(store.blobs, row.blob_key));
    if (!row || !image) return undefined;
    const picture = { view: viewFrame(row), image };
    return row.private ? withhold(picture) : picture;
  }

  /** How much a person typed is nobody else's business: only the holder learns how far the count is. */
  async function takeoverOfSession(sessionId: string, userId: string | undefined): Promise<Takeover | null> {
    const row = await store.takeovers.standingOf(sessionId);
    if (!row) return null;
    if (row.status !== 'active' || row.holder_id !== userId) return takeoverOf(row);
    return { ...takeoverOf(row), last_input_seq: await lastInputSeqOf(row) };
  }

  return async function snapshotOf(session: ReadSession, userId: string | undefined): Promise<SeenSnapshot> {
    // From the session's row, which was read first: what happens after it comes again in the stream.
    const seq = session.last_seq;
    const lastTaskId = session.last_task_id;
    const [{ picture, beside }, task, lines, messages, overlays, navigations, viewers, takeover] = await Promise.all([
      livePictureOf({ session, seq, userId }).then(
        async (live) => live ?? { picture: await storedPictureOf(session.id), beside: undefined },
      ),
      lastTaskId ? store.tasks.byId(lastTaskId) : undefined,
      lastTaskId ? store.steps.of(lastTaskId) : [],
      lastTaskId ? store.taskMessages.of(lastTaskId) : [],
      store.events.lastOfKind(session.id, 'overlay', overlaysShown),
      store.events.lastOfKind(session.id, 'route', navigationsShown),
      store.viewers.of([session.id]),
      takeoverOfSession(session.id, userId),
    ]);
    const nowhere: BrowserRoute = { session: session.id, page: null, frame: null, url: null, title: null };
    const current = picture?.view.route ?? nowhere;
    const snapshot = {
      session: viewSession(session, viewers.get(session.id)),
      overlays: overlays.map(viewOverlay),
      route_summary: { current, pages: pagesOf(picture, beside), history: navigations.map(viewNavigation) },
      message_state: task ? messageStateOf(task, lines, messages) : null,
      takeover,
      driver_view: beside?.driver_view ?? null,
      cursor: cursorOf(seq),
    };
    return { snapshot, picture };
  };
}
/** Where the host does not say which pages are open, or the viewer may not know: the one of the picture. */
function pagesOf(picture: Picture<Bytes> | undefined, beside: SeenView | undefined): OpenPage[] {
  if (beside && beside.pages.length > 0) return beside.pages;
  return picture ? [{ ...picture.view.route, active: true }] : [];
}
export type SnapshotOf = ReturnType<typeof createSnapshots>;
