// The bar between window and panel: dragged, moved by arrow keys, and reset by a double click.

import { type KeyboardEvent, type PointerEvent, useSyncExternalStore } from 'react';
import { createStored } from '../common/stored.ts';

const usual = 30;
const [least, most] = [22, 45];

const kept = createStored<string>('pilothouse.panel', (text) => {
  const percent = Number(text);
  return text !== null && percent >= least && percent <= most ? text : String(usual);
});

export function usePanelShare() {
  const percent = Number(useSyncExternalStore(kept.onChange, kept.read));
  return {
    percent,
    set: (next: number) => kept.write(String(Math.min(most, Math.max(least, Math.round(next * 10) / 10)))),
  };
}

/** Wider or narrower by one step, from anywhere on the page. */
export function movePanel(by: number): void {
  kept.write(String(Math.min(most, Math.max(least, Number(kept.read()) + by))));
}

export function Resizer({ share }: { share: ReturnType<typeof usePanelShare> }) {
  const onPointerMove = (event: PointerEvent<HTMLHRElement>) => {
    const row = event.currentTarget.parentElement?.getBoundingClientRect();
    if (event.buttons === 1 && row) share.set(((row.right - event.clientX) / row.width) * 100);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    event.preventDefault();
    share.set(share.percent + (event.key === 'ArrowLeft' ? 2 : -2));
  };
  return (
    <hr
      tabIndex={0}
      aria-orientation="vertical"
      aria-label="Width of the timeline"
      aria-valuemin={least}
      aria-valuemax={most}
      aria-valuenow={Math.round(share.percent)}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={onPointerMove}
      onDoubleClick={() => share.set(usual)}
      onKeyDown={onKeyDown}
      className="z-10 -mx-1 my-0 h-auto w-2 shrink-0 cursor-col-resize touch-none border-0 hover:bg-agent/20 max-lg:hidden"
    />
  );
}
