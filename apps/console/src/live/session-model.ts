// The view of a session: restored from the snapshot alone, and moved on by the live stream, event by event.

import type {
  BrowserRoute,
  CopiedText,
  DriverView,
  Frame,
  LiveEvent,
  MessageState,
  OpenPage,
  Overlay,
  Session,
  Snapshot,
  Takeover,
  TaskProgress,
} from './api-types.ts';

/** A frame without its picture: pictures never enter the view, they go straight to the canvas. */
export type FrameFacts = Omit<Frame, 'screenshot_base64'>;

export type SessionView = {
  session: Session;
  /** What the last frame says of itself. */
  frame: FrameFacts | undefined;
  overlays: Overlay[];
  route: BrowserRoute;
  pages: OpenPage[];
  history: Snapshot['route_summary']['history'];
  messages: MessageState | null;
  takeover: Takeover | null;
  /** What the page asks of this person, while they drive. */
  asked: DriverView | null;
  /** The text that the page copied last, while this person drives. Each is an object of its own. */
  copied: CopiedText | null;
  viewers: number;
  /** The newest progress of a task that this stream brought, for the lists; the task's own stream has more. */
  task: { id: string; progress: TaskProgress } | undefined;
  cursor: string;
  /** The number of the newest event that is in the view. */
  seq: number;
};

const keptOverlays = 24;
const keptVisits = 100;

/** A snapshot that was read before the answer to a claim must not undo it: the inputs that wait would be dropped. */
export function restoreSession(snapshot: Snapshot, known?: SessionView): SessionView {
  const { session, overlays, route_summary, message_state, takeover, cursor, last_frame } = snapshot;
  const { current, pages, history } = route_summary;
  return {
    session,
    frame: last_frame ? factsOf(last_frame) : undefined,
    overlays,
    // A browser that rests is nowhere; its last frame says where it was.
    route: current.url === null && last_frame ? last_frame.route : current,
    pages,
    // The newest visit may come first or last: the view keeps the oldest first.
    history: history.toSorted((one, other) => Date.parse(one.recorded_at) - Date.parse(other.recorded_at)),
    messages: message_state,
    takeover: takeover && isOlder(takeover, known?.takeover ?? null) ? (known?.takeover ?? null) : takeover,
    asked: snapshot.driver_view ?? null,
    copied: null,
    viewers: session.viewers,
    task: undefined,
    cursor,
    seq: overlays.reduce((most, { seq }) => Math.max(most, seq), 0),
  };
}

/** The next view. The same object if the event says nothing new: an older event, or a frame like the last. */
export function applyLive(view: SessionView, event: LiveEvent): SessionView {
  if (event.type === 'snapshot') return restoreSession(event.snapshot, view);
  if (event.type === 'frame') return withFrame(view, event.frame);
  if (event.type === 'viewers') return event.viewers === view.viewers ? view : { ...view, viewers: event.viewers };
  if (event.type === 'driver_view')
    return { ...view, asked: event.driver_view, ...(!event.driver_view && { copied: null }) };
  if (event.type === 'copied') return { ...view, copied: event.copied };
  if (event.type === 'pages') return { ...view, pages: event.pages };
  // What is not logged has no number.
  if (!('seq' in event) || event.seq <= view.seq) return view;
  return { ...withLogged(view, event), seq: event.seq };
}

type Logged = Extract<LiveEvent, { seq: number }>;

function withLogged(view: SessionView, event: Logged): SessionView {
  switch (event.type) {
    case 'status':
      return { ...view, session: { ...view.session, ...event.session, last_event_at: event.recorded_at } };
    case 'overlay':
      return withOverlay(view, event.overlay);
    case 'route':
      return withRoute(view, event);
    case 'task':
      return { ...view, task: { id: event.task_id, progress: event.status } };
    case 'takeover':
      return withTakeover(view, event.takeover);
    case 'message_state':
      return { ...view, messages: event.message_state };
  }
}

/** The answer to "Drive here" may be read before an event of the window that counted until then. */
const isOlder = (next: Takeover, known: Takeover | null): boolean =>
  next.takeover_id === known?.takeover_id && (next.client_no ?? 0) < (known.client_no ?? 0);

/** What the page asked of the driver, and what was copied there, ends with the takeover. */
export function withTakeover(view: SessionView, takeover: Takeover): SessionView {
  if (isOlder(takeover, view.takeover)) return view;
  const isOver = takeover.status === 'resuming' || takeover.status === 'ended';
  return { ...view, takeover, ...(isOver && { asked: null, copied: null }) };
}

/** Also for overlays of a task's own stream, which has each of them too. */
export function withOverlay(view: SessionView, overlay: Overlay): SessionView {
  const isKnown = view.overlays.some(({ overlay_id, seq }) => overlay_id === overlay.overlay_id && seq >= overlay.seq);
  if (isKnown) return view;
  const others = view.overlays.filter(({ overlay_id }) => overlay_id !== overlay.overlay_id);
  return { ...view, overlays: [...others, overlay].slice(-keptOverlays) };
}

function withRoute(view: SessionView, { route, pages, recorded_at }: Extract<Logged, { type: 'route' }>): SessionView {
  const { url, page, title } = route;
  const last = view.history.at(-1);
  const isVisit = url !== null && (last?.url !== url || last.page !== page);
  const history = isVisit ? [...view.history, { recorded_at, page, url, title }].slice(-keptVisits) : view.history;
  return { ...view, route, pages: pages.map((one) => withTrouble(one, view.pages)), history };
}

/** The log does not tell why a page has failed; the view of the browser does. */
function withTrouble(page: OpenPage, known: readonly OpenPage[]): OpenPage {
  const trouble = known.find((one) => one.page === page.page && one.url === page.url)?.trouble;
  return trouble ? { ...page, trouble } : page;
}

function withFrame(view: SessionView, frame: Frame): SessionView {
  const next = factsOf(frame);
  if (view.frame && looksAlike(view.frame, next)) return view;
  const { route } = next;
  if (route.url === null) return { ...view, frame: next };
  // While a person drives, only the frames say where the browser is.
  const pages = view.pages.map((page) => (page.page === route.page ? withTitle(route, page) : page));
  return { ...view, frame: next, route: withTitle(route, view.route), pages };
}

/** A frame may know the address before the title. */
const withTitle = <Known extends BrowserRoute>(route: BrowserRoute, known: Known): Known =>
  route.title || known.url !== route.url ? { ...known, ...route } : { ...known, ...route, title: known.title };

/** Frames follow each other ten times a second; only some differ in more than the picture. */
function looksAlike(one: FrameFacts, other: FrameFacts): boolean {
  return (
    one.private === other.private &&
    one.private_reason === other.private_reason &&
    one.focuses_secret_field === other.focuses_secret_field &&
    one.content_type === other.content_type &&
    one.width === other.width &&
    one.height === other.height &&
    one.device_scale === other.device_scale &&
    one.route.url === other.route.url &&
    one.route.page === other.route.page &&
    one.route.title === other.route.title
  );
}

export function factsOf({ screenshot_base64: _, ...facts }: Frame): FrameFacts {
  return facts;
}
