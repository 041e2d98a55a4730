// Whether what a field holds can be seen in a picture: one that is transparent, tiny or clipped away shows nothing.

import type { Paint } from './paint.ts';
import type { Sight } from './visibility.ts';

export type Drawn = ReturnType<typeof createDrawn>;

export function createDrawn(sight: Sight, paint: Paint) {
  const minPx = 4;

  /**
   * A frame of another site cannot tell how it is shown; what is left is its size. Of one of the same site, what is around
   * it is in another document, whose edges this one does not know.
   */
  function isFrameDrawn(): boolean {
    if (window === top) return true;
    if (innerWidth < minPx || innerHeight < minPx) return false;
    const frame = frameElement;
    return !frame || (sight.isShown(frame) && !paint.isTransparent(frame));
  }

  /** Dots drawn there cover what was typed into it. */
  function isDrawn(element: Element): boolean {
    const colour = getComputedStyle(element).getPropertyValue('-webkit-text-fill-color');
    if (/^rgba\(.*, 0\)$/.test(colour)) return false;
    // This world lives as long as the document, which changes.
    paint.forget();
    return sight.isVisible(element) && isFrameDrawn();
  }

  return { isDrawn };
}
