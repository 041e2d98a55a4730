import { type Bus, sessionCommand } from '@pilothouse/bus';
import type { BrowserRoute, Frame, Snapshot } from '@pilothouse/contract';
import { messageStateOf, newId, type ReadSession, type SessionRow, type Store, takeoverOf } from '@pilothouse/store';
import { cursorOf } from '../live/cursor.ts';
import { isDriverOf, withhold } from '../live/withheld.ts';
import { viewFrame, viewNavigation, viewOverlay, viewSession } from './sessions.view.ts';

type Options = { store: Store; bus: Bus };

const overlaysShown = 40;
const navigationsShown = 20;
/** Long enough for a host that lives; whoever restores a view does not wait for one that does not. */
const lookMs = 400;

/** All that restores the view of a session, by itself: the hands alive or not. */
export function createSnapshots({ store, bus }: Options) {
  /** The picture as it is now, if a host holds the browser. */
  async function look(session: SessionRow, seq: number, userId: string | undefined): Promise<Frame | undefined> {
    const browser = await store.browsers.of(session.id);
    if (!browser?.is_live || !browser.host_id) return undefined;
    const to = { host_id: browser.host_id, session_id: session.id };
    const result = await bus.request(sessionCommand, to, { type: 'look' }, { timeoutMs: lookMs });
    if (!result.ok || !result.reply.head.ok || result.reply.head.type !== 'seen') return undefined;
    const { picture } = result.reply.head;
    const frame = {
      frame_id: newId(),
      session_id: session.id,
      task_id: session.last_task_id,
      seq,
      recorded_at: new Date().toISOString(),
      content_type: picture.content_type,
      width: picture.width,
      height: picture.height,
      device_scale: picture.device_scale,
      screenshot_base64: Buffer.from(result.reply.body).toString('base64'),
      route: picture.route,
      // While a person drives, what they see is theirs; a host of another release may not say under whom it looked.
      private: picture.private || (browser.driver !== null && [0, browser.driver.epoch].includes(picture.epoch)),
    };
    return frame.private && !isDriverOf(browser.driver, picture.epoch, userId) ? withhold(frame) : frame;
  }

  /** The last one that was kept. */
  async function kept(sessionId: string): Promise<Frame | undefined> {
    const row = await store.frames.of(sessionId);
    const image = row && (await store.blobs.get(row.blob_key));
    const frame = row && image && viewFrame(row, image);
    return frame?.private ? withhold(frame) : frame;
  }

  return async function snapshotOf(session: ReadSession, userId: string | undefined): Promise<Snapshot> {
    // As the session's row was read, before all the rest: whatever happens meanwhile comes again in the stream.
    const seq = session.last_seq;
    const lastTaskId = session.last_task_id;
    const [frame, task, lines, overlays, navigations, viewers, takeover] = await Promise.all([
      look(session, seq, userId).then((seen) => seen ?? kept(session.id)),
      lastTaskId ? store.tasks.byId(lastTaskId) : undefined,
      lastTaskId ? store.steps.of(lastTaskId) : [],
      store.events.lastOfKind(session.id, 'overlay', overlaysShown),
      store.events.lastOfKind(session.id, 'route', navigationsShown),
      store.viewers.of([session.id]),
      store.takeovers.standingOf(session.id),
    ]);
    const nowhere: BrowserRoute = { session: session.id, page: null, frame: null, url: null, title: null };
    const current = frame?.route ?? nowhere;
    return {
      session: viewSession(session, viewers.get(session.id)),
      last_frame: frame ?? null,
      overlays: overlays.map(viewOverlay),
      route_summary: { current, pages: frame ? [current] : [], history: navigations.map(viewNavigation) },
      message_state: task ? messageStateOf(task, lines) : null,
      takeover: takeover ? takeoverOf(takeover) : null,
      cursor: cursorOf(seq),
    };
  };
}
export type SnapshotOf = ReturnType<typeof createSnapshots>;
