// What the buttons over the picture do.

import { useMemo, useRef, useState } from 'react';
import { saveBlob } from '../tasks/save-blob.ts';

export function useTools() {
  const page = useRef<HTMLDivElement>(null);
  const [marks, setMarks] = useState(true);
  const [isActualSize, setActualSize] = useState(false);
  // The same object while nothing of it changes: what the page is drawn for seldom concerns the buttons.
  const window = useMemo(
    () => ({
      marks,
      isActualSize,
      onMarks: () => setMarks(!marks),
      onActualSize: () => setActualSize(!isActualSize),
      onKeepPicture: () => {
        const canvas = page.current?.querySelector<HTMLCanvasElement>('canvas[data-testid=picture]');
        const name = `pilothouse-${new Date().toISOString().replaceAll(':', '-')}.png`;
        canvas?.toBlob((blob) => blob && saveBlob(blob, name));
      },
      onFullScreen: () => {
        if (document.fullscreenElement) void document.exitFullscreen();
        else void page.current?.querySelector('[data-testid=window]')?.requestFullscreen();
      },
    }),
    [marks, isActualSize],
  );
  return { page, keepPicture: window.onKeepPicture, window };
}
export type SessionTools = ReturnType<typeof useTools>;
