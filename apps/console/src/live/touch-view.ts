// How much of the page a touch screen shows, and what fingers do to it: one moves it, two zoom, a tap is a click.

type Size = { width: number; height: number };
type Point = { x: number; y: number };

/** The picture in the space of the window: its left upper corner, and how much larger it is than the space. */
export type TouchView = { x: number; y: number; scale: number };
type Bounds = { space: Size; picture: Size };

export const maxScale = 4;

/** Fills the height of the space, from the left edge of the page. */
export function fillView({ space, picture }: Bounds): TouchView {
  const scale = picture.height > 0 ? Math.min(maxScale, Math.max(1, space.height / picture.height)) : 1;
  return holdView({ x: 0, y: 0, scale }, { space, picture });
}

/** No edge of the picture comes inside the space; a picture that is smaller than the space is in the middle of it. */
export function holdView({ x, y, scale }: TouchView, { space, picture }: Bounds): TouchView {
  const held = Math.min(maxScale, Math.max(1, scale));
  const hold = (at: number, room: number, length: number) =>
    length <= room ? (room - length) / 2 : Math.min(0, Math.max(room - length, at));
  return {
    x: hold(x, space.width, picture.width * held),
    y: hold(y, space.height, picture.height * held),
    scale: held,
  };
}

/** One finger: moves the picture, and where that is at its edge the page itself is scrolled by the rest. */
export function panView(view: TouchView, by: Point, bounds: Bounds): { view: TouchView; scroll: Point } {
  const next = holdView({ ...view, x: view.x + by.x, y: view.y + by.y }, bounds);
  const rest = { x: next.x - view.x - by.x, y: next.y - view.y - by.y };
  return { view: next, scroll: { x: rest.x / next.scale, y: rest.y / next.scale } };
}

/** Two fingers: what is between them stays between them. */
export function pinchView(view: TouchView, by: number, around: Point, bounds: Bounds): TouchView {
  const scale = Math.min(maxScale, Math.max(1, view.scale * by));
  const grown = scale / view.scale;
  return holdView(
    { x: around.x - (around.x - view.x) * grown, y: around.y - (around.y - view.y) * grown, scale },
    bounds,
  );
}
