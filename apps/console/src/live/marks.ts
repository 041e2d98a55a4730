// Where marks are drawn over the picture: geometry only, in pixels of the view.

import type { BrowserRoute, Frame, Overlay } from './api-types.ts';

export type View = { width: number; height: number };
export type Box = { x: number; y: number; width: number; height: number };
export type FrameSize = Pick<Frame, 'width' | 'height' | 'device_scale'>;

export type Mark = {
  id: string;
  isPerson: boolean;
  kind: Overlay['kind'];
  box?: Box & { isFilled: boolean };
  point?: { x: number; y: number };
  label?: { text: string; x: number; y: number; isDocked: boolean };
  /** Strong at first, then faint. */
  opacity: number;
};

/** Marks are strong for this long. */
export const strongMs = 4000;
const faintOpacity = 0.4;
/** A box over more of the picture than this hides it if it is filled. */
const largeShare = 0.2;
const dockedBelowPx = 600;
const gapPx = 10;
const targetGapPx = 5;
const marginPx = 8;
const labelHeightPx = 24;
const letterPx = 6.9;
const labelPaddingPx = 38;

/** The width that a label needs, without drawing it. */
export const labelWidth = (text: string, view: View): number =>
  Math.min([...text].length * letterPx + labelPaddingPx, view.width * 0.7);

/** Pixels of the view for one CSS pixel of the page. */
export function scaleOf(frame: FrameSize, view: View): number {
  return frame.width > 0 ? (view.width * (frame.device_scale || 1)) / frame.width : 1;
}

const kindWords: Record<Overlay['kind'], string> = {
  box: 'Looks here',
  click: 'Presses',
  type: 'Types',
  scroll: 'Scrolls',
  navigate: 'Opens a page',
  note: 'Notes',
};

export function layOutMark(overlay: Overlay, frame: FrameSize, view: View, ageMs: number): Mark {
  const scale = scaleOf(frame, view);
  const { bbox, point } = overlay;
  // Guests are told the kind alone.
  const label = overlay.label === overlay.kind ? kindWords[overlay.kind] : overlay.label;
  const box = bbox ? clip(times(bbox, scale), view) : undefined;
  const isFilled = box ? box.width * box.height <= view.width * view.height * largeShare : false;
  const at = point ? { x: point.x * scale, y: point.y * scale } : undefined;
  const anchor = box ?? (at && { x: at.x - 12, y: at.y - 12, width: 24, height: 24 });
  return {
    id: overlay.overlay_id,
    isPerson: overlay.source === 'human',
    kind: overlay.kind,
    box: box && { ...box, isFilled },
    point: at ?? (box && cursorIn(box)),
    label: label ? { text: label, ...placeLabel(label, anchor, view) } : undefined,
    opacity: ageMs < strongMs ? 1 : faintOpacity,
  };
}

/** What a person is asked about: its frame stands a little off it, so that all of it is seen. */
export function layOutTarget(bbox: Box, label: string, frame: FrameSize, view: View) {
  const { x, y, width, height } = times(bbox, scaleOf(frame, view));
  const off = targetGapPx;
  const box = clip({ x: x - off, y: y - off, width: width + 2 * off, height: height + 2 * off }, view);
  return box && { box, label: placeLabel(label, box, view) };
}

/** Beside the box on the right, else on the left, else below or above it: always inside the view. */
export function placeLabel(
  text: string,
  box: Box | undefined | null,
  view: View,
): { x: number; y: number; isDocked: boolean } {
  const width = labelWidth(text, view);
  const docked = { x: (view.width - width) / 2, y: view.height - labelHeightPx - marginPx, isDocked: true };
  if (!box || view.width < dockedBelowPx) return docked;
  const middle = inside(box.y + box.height / 2 - labelHeightPx / 2, view.height - labelHeightPx);
  const right = box.x + box.width + gapPx;
  if (right + width + marginPx <= view.width) return { x: right, y: middle, isDocked: false };
  const left = box.x - gapPx - width;
  if (left >= marginPx) return { x: Math.min(left, view.width - width - marginPx), y: middle, isDocked: false };
  const x = inside(box.x + box.width - width, view.width - width);
  const above = box.y - labelHeightPx - gapPx;
  const below = box.y + box.height + gapPx;
  if (above >= marginPx) return { x, y: above, isDocked: false };
  return below + labelHeightPx + marginPx <= view.height ? { x, y: below, isDocked: false } : docked;
}

/**
 * The newest overlay. One of an earlier document than the frame shows has lost its place, and keeps its words: a step is
 * told when it is done, and a click may have led away.
 */
export function currentOverlay(
  overlays: readonly Overlay[],
  history: readonly { recorded_at: string; url: string }[],
  shown: Pick<BrowserRoute, 'url'> | undefined,
): Overlay | undefined {
  const newest = overlays.reduce<Overlay | undefined>(
    (last, one) => (last && last.seq > one.seq ? last : one),
    undefined,
  );
  if (!newest || !shown?.url || (!newest.bbox && !newest.point)) return newest;
  const at = Date.parse(newest.recorded_at);
  // A visit in the same moment is where the action led.
  const place = history.filter(({ recorded_at }) => Date.parse(recorded_at) < at).at(-1);
  if (!place || documentOf(place.url) === documentOf(shown.url)) return newest;
  return { ...newest, bbox: null, point: null };
}

const documentOf = (url: string): string => url.split('#')[0] ?? url;

const times = (box: Box, scale: number): Box => ({
  x: box.x * scale,
  y: box.y * scale,
  width: box.width * scale,
  height: box.height * scale,
});

/** The part inside the view; undefined for a box that is scrolled out of it. */
function clip(box: Box, view: View): Box | undefined {
  const x = Math.max(0, box.x);
  const y = Math.max(0, box.y);
  const width = Math.min(view.width, box.x + box.width) - x;
  const height = Math.min(view.height, box.y + box.height) - y;
  return width > 0 && height > 0 ? { x, y, width, height } : undefined;
}

const cursorIn = (box: Box) => ({ x: box.x + box.width * 0.85, y: box.y + box.height * 0.6 });
const inside = (value: number, most: number): number => Math.min(Math.max(value, marginPx), most - marginPx);
