// A bar between two parts of a page: dragged, moved by arrow keys, and reset by a double click. Its value is kept.

import { type KeyboardEvent, type PointerEvent, useSyncExternalStore } from 'react';
import { createStored } from '../common/stored.ts';

type Limits = { key: string; usual: number; least: number; most: number };
export type KeptSize = ReturnType<typeof createKeptSize>;

/** A size that this browser remembers. */
export function createKeptSize({ key, usual, least, most }: Limits) {
  const kept = createStored<string>(key, (text) => {
    const size = Number(text);
    return text !== null && size >= least && size <= most ? text : String(usual);
  });
  const set = (next: number) => kept.write(String(Math.min(most, Math.max(least, Math.round(next * 10) / 10))));
  return {
    usual,
    least,
    most,
    use: () => Number(useSyncExternalStore(kept.onChange, kept.read)),
    set,
    moveBy: (step: number) => set(Number(kept.read()) + step),
  };
}

type Props = {
  label: string;
  size: KeptSize;
  orientation: 'horizontal' | 'vertical';
  /** How far an arrow key moves it. */
  step: number;
  /** The size that the pointer asks for. */
  sizeAt: (pointer: { x: number; y: number }, bar: HTMLElement) => number | undefined;
  className: string;
};

export function ResizeBar({ label, size, orientation, step, sizeAt, className }: Props) {
  const [grow, shrink] = orientation === 'vertical' ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown'];
  const onPointerMove = (event: PointerEvent<HTMLHRElement>) => {
    if (event.buttons !== 1) return;
    const next = sizeAt({ x: event.clientX, y: event.clientY }, event.currentTarget);
    if (next !== undefined) size.set(next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== grow && event.key !== shrink) return;
    event.preventDefault();
    size.moveBy(event.key === grow ? step : -step);
  };
  return (
    <hr
      tabIndex={0}
      aria-orientation={orientation}
      aria-label={label}
      aria-valuemin={size.least}
      aria-valuemax={size.most}
      aria-valuenow={Math.round(size.use())}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={onPointerMove}
      onDoubleClick={() => size.set(size.usual)}
      onKeyDown={onKeyDown}
      className={className}
    />
  );
}
