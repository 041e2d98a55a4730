// What everything that the page asks has in common: the look of its card, and the focus that goes to it.

import { type RefCallback, useCallback } from 'react';

export const askedCard =
  'max-h-full w-80 max-w-full overflow-y-auto rounded-3 bg-raised p-4 text-ink shadow-modal outline-none';

/** The element has the focus as soon as it is shown. */
export function useFocusOnce<Element extends HTMLElement>(): RefCallback<Element> {
  return useCallback((element: Element | null) => element?.focus({ preventScroll: true }), []);
}
