// The bar between window and panel.

import { createKeptSize, ResizeBar } from '../ui/resize-bar.tsx';

/** In percent of both. */
export const panelShare = createKeptSize({ key: 'pilothouse.panel', usual: 30, least: 22, most: 45 });

export const Resizer = () => (
  <ResizeBar
    label="Width of the timeline"
    size={panelShare}
    orientation="vertical"
    step={2}
    sizeAt={({ x }, bar) => {
      const row = bar.parentElement?.getBoundingClientRect();
      return row && ((row.right - x) / row.width) * 100;
    }}
    className="z-10 -mx-1 my-0 h-auto w-2 shrink-0 cursor-col-resize touch-none border-0 hover:bg-agent/20 max-lg:hidden"
  />
);
