// What a guest of a share sees, field by field: the picture, and how far the work is. It has nothing that a person typed,
// nothing that names people, and no address that opens another site for the guest.

import type { BrowserRoute, Overlay, Session, TaskProgress } from '@pilothouse/contract';
import type { StoredEvent } from '@pilothouse/store';
import type { Bytes } from '../http/embedded.ts';
import { viewLiveEvent, type WireEvent } from './events.view.ts';
import type { SeenSnapshot } from './seen-snapshot.ts';
import { type FrameView, type Picture, withhold, withholdPicture } from './withheld.ts';

/** A guest learns the address of the page only from a picture that the guest may see. */
export function shareSnapshot({ snapshot: { session, overlays, cursor }, picture }: SeenSnapshot): SeenSnapshot {
  const shown = picture && shareSeen(picture);
  const nowhere: BrowserRoute = { session: session.id, page: null, frame: null, url: null, title: null };
  const route = shown?.view.route;
  const snapshot = {
    session: shareSession(session),
    overlays: overlays.flatMap((overlay) => shareOverlay(overlay) ?? []),
    route_summary: { current: route ?? nowhere, pages: route ? [route] : [], history: [] },
    message_state: null,
    takeover: null,
    cursor,
  };
  return { snapshot, picture: shown };
}

/** Of a private picture, only that there is one. */
const shareSeen = (picture: Picture<Bytes>): Picture<Bytes> =>
  picture.view.private ? withhold(picture) : { ...picture, view: shareView(picture.view) };
export const sharePicture = ({ view, image }: Picture): Picture =>
  view.private ? withholdPicture(view) : { view: shareView(view), image };

function shareView(view: FrameView): FrameView {
  const { session, page, url, title } = view.route;
  return {
    frame_id: view.frame_id,
    session_id: view.session_id,
    task_id: view.task_id,
    seq: view.seq,
    recorded_at: view.recorded_at,
    content_type: view.content_type,
    width: view.width,
    height: view.height,
    device_scale: view.device_scale,
    route: { session, page, frame: null, url: url && siteOf(url), title },
    private: false,
    focuses_secret_field: view.focuses_secret_field,
  };
}

/** Undefined for kinds that a guest does not see: routes, conversations and takeovers. */
export function shareEvent(event: StoredEvent): WireEvent | undefined {
  const wire = viewLiveEvent(event);
  if (!wire) return undefined;
  const { type, seq, session_id, recorded_at, task_id } = wire;
  const about = { type, seq, session_id, recorded_at };
  // Written by us, in the shape of the contract.
  if (type === 'status') return { ...about, session: shareState(wire.session as State) };
  if (type === 'task') return { ...about, task_id, status: shareProgress(wire.status as TaskProgress) };
  const overlay = type === 'overlay' ? shareOverlay(wire.overlay as Overlay) : undefined;
  return overlay && { ...about, task_id, overlay };
}

type State = Pick<Session, 'id' | 'status' | 'browser' | 'last_task_id'>;
const shareState = ({ id, status, browser, last_task_id }: State): State => ({ id, status, browser, last_task_id });

/** Without titles and labels, which people write. */
function shareSession(session: Session): Session {
  return {
    ...shareState(session),
    live_path: session.live_path,
    profile_id: null,
    profile_label: null,
    title: null,
    created_at: session.created_at,
    updated_at: session.updated_at,
    last_event_at: session.last_event_at,
    shared: session.shared,
    viewers: session.viewers,
    recording: session.recording,
  };
}

/** The title of a step may name an address, and an error what was on the page. */
function shareProgress(progress: TaskProgress): TaskProgress {
  return {
    status: progress.status,
    total_steps: progress.total_steps,
    current_step: progress.current_step,
    current_step_title: '',
    started_at: progress.started_at,
    finished_at: progress.finished_at,
    last_error: null,
    last_updated_at: progress.last_updated_at,
  };
}

/** Without what a person did: a click may be on a key of a keypad. */
function shareOverlay(overlay: Overlay): Overlay | undefined {
  if (overlay.source === 'human') return undefined;
  return {
    overlay_id: overlay.overlay_id,
    session_id: overlay.session_id,
    task_id: overlay.task_id,
    step_id: overlay.step_id,
    seq: overlay.seq,
    recorded_at: overlay.recorded_at,
    source: overlay.source,
    kind: overlay.kind,
    label: overlay.kind,
    bbox: overlay.bbox,
    point: overlay.point,
    data: {},
  };
}

/** Only the site: a path or a query may hold a secret that opens the page for anyone. */
function siteOf(url: string): string | null {
  const { protocol, origin } = URL.canParse(url) ? new URL(url) : { protocol: '', origin: '' };
  return protocol === 'http:' || protocol === 'https:' ? `${origin}/` : null;
}
