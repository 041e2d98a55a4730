// Gives the focus back when what lay over the page closes. Radix gives it to a trigger, and a dialog that was opened by a
// key has none.

import { useRef } from 'react';

/** To be spread on the content of a dialog. */
export function useFocusBack() {
  const before = useRef<Element | null>(null);
  return {
    /** Comes before the focus moves into the dialog. */
    onOpenAutoFocus: () => {
      before.current = document.activeElement;
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault();
      const { current } = before;
      const isThere = current instanceof HTMLElement && current.isConnected && current !== document.body;
      // The page that it was on may be gone: the keyboard goes on in the new one.
      const next = isThere ? current : document.getElementById('page');
      next?.focus({ preventScroll: true });
    },
  };
}
