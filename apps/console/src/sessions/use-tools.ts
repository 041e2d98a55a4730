// What the buttons over the picture do.

import { useRef, useState } from 'react';
import { saveBlob } from '../tasks/save-blob.ts';

export function useTools() {
  const page = useRef<HTMLDivElement>(null);
  const [marks, setMarks] = useState(true);
  const [isActualSize, setActualSize] = useState(false);
  const keepPicture = () => {
    const canvas = page.current?.querySelector<HTMLCanvasElement>('canvas[data-testid=picture]');
    canvas?.toBlob((blob) => blob && saveBlob(blob, `pilothouse-${new Date().toISOString().replaceAll(':', '-')}.png`));
  };
  const onFullScreen = () => {
    if (document.fullscreenElement) void document.exitFullscreen();
    else void page.current?.querySelector('[data-testid=window]')?.requestFullscreen();
  };
  const onMarks = () => setMarks(!marks);
  const onActualSize = () => setActualSize(!isActualSize);
  return {
    page,
    keepPicture,
    window: { marks, onMarks, isActualSize, onActualSize, onKeepPicture: keepPicture, onFullScreen },
  };
}
export type SessionTools = ReturnType<typeof useTools>;
