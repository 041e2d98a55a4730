// Keeps the focus in the window when the control that has it goes away: without it the keyboard would begin at the top of
// the page again. It never takes the focus from anything else.

import { type FocusEvent, type RefObject, useEffect, useRef } from 'react';

const isGone = (element: HTMLElement): boolean => !element.isConnected || element.matches(':disabled');

/** The button that hands back, else the first; the bar itself where it has none. */
export function focusBar(bar: HTMLElement | null): void {
  const button = bar?.querySelector<HTMLElement>('button[type=submit]') ?? bar?.querySelector<HTMLElement>('button');
  (button ?? bar)?.focus({ preventScroll: true });
}

type KeptFocus = {
  bar: RefObject<HTMLElement | null>;
  keys: RefObject<HTMLElement | null>;
};

/** To be spread on the window. */
export function useKeptFocus({ bar, keys }: KeptFocus) {
  const last = useRef<{ element: HTMLElement; isInBar: boolean }>(undefined);
  // After every change of the page: nothing says that an element with the focus was taken out.
  useEffect(() => {
    const had = last.current;
    if (!had || document.activeElement !== document.body || !isGone(had.element)) return;
    last.current = undefined;
    // What was over the picture leaves the keys to the page; a control of the bar leaves the focus to the bar.
    if (keys.current && !had.isInBar) keys.current.focus({ preventScroll: true });
    else focusBar(bar.current);
  });
  return {
    onFocus: ({ target }: FocusEvent<HTMLElement>) => {
      last.current = { element: target, isInBar: bar.current?.contains(target) ?? false };
    },
    onBlur: ({ target, relatedTarget }: FocusEvent<HTMLElement>) => {
      // Taken out or left by the person: the next paint shows which.
      requestAnimationFrame(() => {
        if (last.current?.element === target && (relatedTarget !== null || !isGone(target))) last.current = undefined;
      });
    },
  };
}
