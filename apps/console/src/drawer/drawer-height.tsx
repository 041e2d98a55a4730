// The upper edge of the drawer: dragged, moved by arrow keys, and reset by a double click.

import { type KeyboardEvent, type PointerEvent, useSyncExternalStore } from 'react';
import { createStored } from '../common/stored.ts';

const usual = 228;
const [least, most] = [120, 480];

const kept = createStored<string>('pilothouse.drawer', (text) => {
  const px = Number(text);
  return text !== null && px >= least && px <= most ? text : String(usual);
});

export function useDrawerHeight() {
  const px = Number(useSyncExternalStore(kept.onChange, kept.read));
  return { px, set: (next: number) => kept.write(String(Math.min(most, Math.max(least, Math.round(next))))) };
}

export function DrawerEdge({ height }: { height: ReturnType<typeof useDrawerHeight> }) {
  const onPointerMove = (event: PointerEvent<HTMLHRElement>) => {
    const content = event.currentTarget.nextElementSibling?.getBoundingClientRect();
    if (event.buttons === 1 && content) height.set(content.bottom - event.clientY);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    height.set(height.px + (event.key === 'ArrowUp' ? 20 : -20));
  };
  return (
    <hr
      tabIndex={0}
      aria-orientation="horizontal"
      aria-label="Height of the drawer"
      aria-valuemin={least}
      aria-valuemax={most}
      aria-valuenow={height.px}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={onPointerMove}
      onDoubleClick={() => height.set(usual)}
      onKeyDown={onKeyDown}
      className="relative z-10 -my-1 h-2 cursor-row-resize touch-none border-0 hover:bg-agent/20"
    />
  );
}
