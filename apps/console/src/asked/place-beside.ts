// Where a list or picker stands over the picture: under its field, or over it where there is more room.

type Box = { x: number; y: number; width: number; height: number };
type Size = { width: number; height: number };
export type Place = { left: number; width: number; maxHeight: number } & ({ top: number } | { bottom: number });

const edgePx = 4;
const leastHeightPx = 72;

/** `box` is in pixels of the page, the place in pixels of the picture, which shows the whole page. */
export function placeBeside(box: Box, page: Size, picture: Size, wanted: Size): Place {
  const scale = page.width > 0 ? picture.width / page.width : 1;
  const over = Math.min(picture.height, Math.max(0, box.y * scale));
  const under = Math.min(picture.height, Math.max(0, (box.y + box.height) * scale));
  const roomUnder = picture.height - under - edgePx;
  const roomOver = over - edgePx;
  const isOver = roomUnder < wanted.height && roomOver > roomUnder;
  const width = Math.min(Math.max(box.width * scale, wanted.width), picture.width - 2 * edgePx);
  const left = Math.min(Math.max(edgePx, box.x * scale), picture.width - width - edgePx);
  const maxHeight = Math.max(leastHeightPx, isOver ? roomOver : roomUnder);
  if (isOver) return { left, width, maxHeight, bottom: picture.height - over };
  return { left, width, maxHeight, top: Math.min(under, Math.max(0, picture.height - leastHeightPx)) };
}
