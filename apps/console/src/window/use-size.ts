// The size of an element, as it changes.

import { type RefCallback, useCallback, useRef, useState, useSyncExternalStore } from 'react';

export type Size = { width: number; height: number };

export function useSize(): [RefCallback<HTMLElement>, Size] {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  const observer = useRef<ResizeObserver>(undefined);
  const ref = useCallback((element: HTMLElement | null) => {
    observer.current?.disconnect();
    if (!element) return;
    observer.current = new ResizeObserver(([entry]) => {
      if (entry) setSize({ width: entry.contentRect.width, height: entry.contentRect.height });
    });
    observer.current.observe(element);
  }, []);
  return [ref, size];
}

/** The largest size of that ratio in the space. */
export function fit(space: Size, ratio: number): Size {
  const width = Math.min(space.width, space.height * ratio);
  return { width: Math.floor(width), height: Math.floor(width / ratio) };
}

const narrow = '(width < 640px)';

/** Whether the page is as narrow as a phone. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(
    (listener) => {
      const query = matchMedia(narrow);
      query.addEventListener('change', listener);
      return () => query.removeEventListener('change', listener);
    },
    () => matchMedia(narrow).matches,
  );
}
