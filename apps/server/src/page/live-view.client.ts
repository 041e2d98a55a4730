/// <reference lib="dom" />
import type { BrowserRoute, BrowserState, Frame, LiveEvent, Overlay, Snapshot } from '@pilothouse/contract';
import type { ConnectionState } from '@pilothouse/sdk';
import { element, make, say } from './element.client.ts';

type Connection = ConnectionState | 'connecting' | 'refused';

/** The picture of the session's page, with the last action drawn over it. */
export function createLiveView() {
  const stage = element('stage');
  const picture = element<HTMLImageElement>('frame');
  const layer = element('overlay');
  const empty = element('empty');
  const url = element('url');
  const connection = element('connection');

  const invitation = empty.textContent;

  let frame: Frame | undefined;
  let overlay: Overlay | undefined;
  let browser: BrowserState | undefined;
  let connected: Connection | undefined;
  let isDrawing = false;

  const drawFrame = () => {
    isDrawing = false;
    picture.hidden = !frame;
    empty.hidden = frame !== undefined;
    if (!frame) {
      picture.removeAttribute('src');
      layer.replaceChildren();
      delete layer.dataset.overlayId;
      return;
    }
    picture.src = `data:${frame.content_type};base64,${frame.screenshot_base64}`;
    picture.dataset.frameId = frame.frame_id;
    stage.style.setProperty('--ratio', String(frame.width / frame.height || 1.6));
    drawOverlay(layer, overlay, frame);
  };

  // Newest wins: what arrives faster than the screen shows it is not shown.
  const drawSoon = () => {
    if (!isDrawing) requestAnimationFrame(drawFrame);
    isDrawing = true;
  };

  const showRoute = (route: BrowserRoute) => {
    say(url, route.url ?? '');
    url.title = [route.title, route.url].filter(Boolean).join(' · ');
  };

  const showFrame = (next: Frame) => {
    frame = next;
    showRoute(next.route);
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
      drawFrame();
      sayConnection();
    },

    /** The whole view, from the snapshot alone. */
    restore(snapshot: Snapshot) {
      frame = snapshot.last_frame ?? undefined;
      overlay = snapshot.overlays.reduce<Overlay | undefined>(
        (last, next) => (last && last.seq > next.seq ? last : next),
        undefined,
      );
      browser = snapshot.session.browser;
      showRoute(snapshot.route_summary.current.url === null && frame ? frame.route : snapshot.route_summary.current);
      // Not with the next repaint: a page in the background is restored too.
      drawFrame();
      sayConnection();
    },

    apply(event: LiveEvent) {
      if (event.type === 'snapshot') this.restore(event.snapshot);
      else if (event.type === 'frame') showFrame(event.frame);
      else if (event.type === 'overlay') showOverlay(event.overlay);
      else if (event.type === 'route') showRoute(event.route);
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

function describeConnection(state: Connection, frame: Frame | undefined, browser: BrowserState | undefined): string {
  const shown = frame ? `, showing the frame of ${describeAge(frame.recorded_at)}` : '';
  if (state === 'refused') return `not live${shown}`;
  if (state !== 'connected') return `${state}${shown}`;
  return browser === 'cold' ? 'live, the browser rests' : 'live';
}

function describeAge(recordedAt: string): string {
  const secs = Math.max(0, Math.round((Date.now() - Date.parse(recordedAt)) / 1000));
  if (secs < 120) return `${secs} s ago`;
  if (secs < 7200) return `${Math.round(secs / 60)} min ago`;
  return new Date(recordedAt).toLocaleString();
}

/** Percentages of the picture, so that the layer scales with it. */
function drawOverlay(layer: HTMLElement, overlay: Overlay | undefined, { width, height, device_scale }: Frame): void {
  if (!overlay) {
    layer.replaceChildren();
    delete layer.dataset.overlayId;
    return;
  }
  const scale = device_scale || 1;
  const across = (x: number) => `${((x * scale) / width) * 100}%`;
  const down = (y: number) => `${((y * scale) / height) * 100}%`;
  // Redrawn with every frame; the same marks stay, or they would flash.
  if (layer.dataset.overlayId !== overlay.overlay_id) layer.replaceChildren(...marksOf(overlay));
  layer.dataset.overlayId = overlay.overlay_id;

  for (const mark of layer.children as HTMLCollectionOf<HTMLElement>) {
    const { bbox, point } = overlay;
    if (mark.className === 'box' && bbox) {
      Object.assign(mark.style, { left: across(bbox.x), top: down(bbox.y) });
      Object.assign(mark.style, { width: across(bbox.width), height: down(bbox.height) });
    } else if (mark.className === 'point' && point) {
      Object.assign(mark.style, { left: across(point.x), top: down(point.y) });
    } else {
      placeLabel(mark, bbox ?? (point && { ...point, width: 0, height: 12 }), { across, down, width: width / scale });
    }
  }
}

function marksOf({ bbox, point, label }: Overlay): HTMLElement[] {
  return [
    ...(bbox ? [make('div', 'box')] : []),
    ...(point ? [make('div', 'point')] : []),
    ...(label ? [make('div', 'label', label)] : []),
  ];
}

type Scale = { across: (x: number) => string; down: (y: number) => string; width: number };

/** Above what is marked, or below it at the upper edge; what has no place is said in the corner. */
function placeLabel(label: HTMLElement, box: Overlay['bbox'], { across, down, width }: Scale): void {
  if (!box) {
    Object.assign(label.style, { left: '8px', bottom: '8px' });
    return;
  }
  const isRight = box.x > width * 0.6;
  label.style.left = isRight ? '' : across(Math.max(0, box.x));
  label.style.right = isRight ? across(Math.max(0, width - box.x - box.width)) : '';
  label.style.top = box.y < 40 ? `calc(${down(box.y + box.height)} + 5px)` : `calc(${down(box.y)} - 1.9rem)`;
}
