/// <reference lib="dom" />
// Draws the last action over the picture of the page.

import type { Frame, Overlay } from '@pilothouse/contract';
import { make } from './element.client.ts';

/** In percentages of the picture, so that the layer scales with it. */
export function drawOverlay(
  layer: HTMLElement,
  overlay: Overlay | undefined,
  { width, height, device_scale }: Frame,
): void {
  if (!overlay) {
    clearOverlay(layer);
    return;
  }
  const scale = device_scale || 1;
  const across = (x: number) => `${((x * scale) / width) * 100}%`;
  const down = (y: number) => `${((y * scale) / height) * 100}%`;
  // Drawn again with every frame; the same marks stay, or they would flash.
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

export function clearOverlay(layer: HTMLElement): void {
  layer.replaceChildren();
  delete layer.dataset.overlayId;
}

function marksOf({ bbox, point, label }: Overlay): HTMLElement[] {
  return [
    ...(bbox ? [make('div', 'box')] : []),
    ...(point ? [make('div', 'point')] : []),
    ...(label ? [make('div', 'label', label)] : []),
  ];
}

type Scale = { across: (x: number) => string; down: (y: number) => string; width: number };

/** Above the mark, or below it at the upper edge. The label of an action without a place is in the corner. */
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
