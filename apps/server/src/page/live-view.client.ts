/// <reference lib="dom" />
// The picture of the session's page, with the last action drawn over it.

import type { BrowserRoute, BrowserState, Frame, LiveEvent, Overlay, Snapshot } from '@pilothouse/contract';
import { type Connection, describeConnection } from './connection.client.ts';
import { describePrivacy } from './describe-privacy.client.ts';
import { element, say } from './element.client.ts';
import { clearOverlay, drawOverlay } from './overlay.client.ts';

export function createLiveView() {
  const empty = element('empty');
  const url = element('url');
  const connection = element('connection');
  const invitation = empty.textContent;
  const draw = createPicture();

  let frame: Frame | undefined;
  let overlay: Overlay | undefined;
  let browser: BrowserState | undefined;
  let connected: Connection | undefined;
  let isDrawing = false;

  const drawNow = () => {
    isDrawing = false;
    draw(frame, overlay);
  };
  // What arrives faster than the screen shows it is not drawn.
  const drawSoon = () => {
    if (!isDrawing) requestAnimationFrame(drawNow);
    isDrawing = true;
  };
  const showFrame = (next: Frame) => {
    frame = next;
    showRoute(url, next.route);
    drawSoon();
  };
  const showOverlay = (next: Overlay) => {
    if (overlay && next.seq < overlay.seq) return;
    overlay = next;
    drawSoon();
  };
  const sayConnection = () => {
    connection.dataset.state = connected ?? '';
    say(connection, connected ? describeConnection(connected, frame, browser) : '');
  };
  setInterval(sayConnection, 1000);

  return {
    clear() {
      frame = overlay = browser = connected = undefined;
      say(url, '');
      say(empty, invitation);
      drawNow();
      sayConnection();
    },
    /** The whole view, from the snapshot alone. */
    restore(snapshot: Snapshot) {
      const { current } = snapshot.route_summary;
      frame = snapshot.last_frame ?? undefined;
      overlay = newestOf(snapshot.overlays);
      browser = snapshot.session.browser;
      showRoute(url, current.url === null && frame ? frame.route : current);
      // Not with the next repaint: a page in the background is restored, too.
      drawNow();
      sayConnection();
    },
    apply(event: LiveEvent) {
      if (event.type === 'snapshot') this.restore(event.snapshot);
      else if (event.type === 'frame') showFrame(event.frame);
      else if (event.type === 'overlay') showOverlay(event.overlay);
      else if (event.type === 'route') showRoute(url, event.route);
      else if (event.type === 'status') browser = event.session.browser;
      sayConnection();
    },
    showOverlay,
    /** Why there is nothing to see. */
    explain(text: string) {
      say(empty, text);
      connected = 'refused';
      sayConnection();
    },
    setConnection(state: Connection) {
      connected = state;
      sayConnection();
    },
  };
}

/** Draws a frame with its overlay, or that there is none. */
function createPicture() {
  const stage = element('stage');
  const picture = element<HTMLImageElement>('frame');
  const layer = element('overlay');
  const empty = element('empty');
  const privacy = element('privacy');

  return (frame: Frame | undefined, overlay: Overlay | undefined): void => {
    picture.hidden = !frame;
    empty.hidden = frame !== undefined;
    say(privacy, frame ? describePrivacy(frame) : '');
    if (!frame) {
      picture.removeAttribute('src');
      clearOverlay(layer);
      return;
    }
    picture.src = `data:${frame.content_type};base64,${frame.screenshot_base64}`;
    picture.dataset.frameId = frame.frame_id;
    stage.style.setProperty('--ratio', String(frame.width / frame.height || 1.6));
    drawOverlay(layer, overlay, frame);
  };
}

function showRoute(where: HTMLElement, { url, title }: BrowserRoute): void {
  say(where, url ?? '');
  where.title = [title, url].filter(Boolean).join(' · ');
}

const newestOf = (overlays: Overlay[]): Overlay | undefined =>
  overlays.reduce<Overlay | undefined>((last, next) => (last && last.seq > next.seq ? last : next), undefined);
