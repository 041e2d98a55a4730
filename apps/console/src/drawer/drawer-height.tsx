// The upper edge of the drawer.

import { createKeptSize, ResizeBar } from '../ui/resize-bar.tsx';

/** In pixels. */
export const drawerHeight = createKeptSize({ key: 'pilothouse.drawer', usual: 228, least: 120, most: 480 });

export const DrawerEdge = () => (
  <ResizeBar
    label="Height of the drawer"
    size={drawerHeight}
    orientation="horizontal"
    step={20}
    sizeAt={({ y }, bar) => {
      const content = bar.nextElementSibling?.getBoundingClientRect();
      return content && content.bottom - y;
    }}
    className="relative z-10 -my-1 h-2 cursor-row-resize touch-none border-0 hover:bg-agent/20"
  />
);
