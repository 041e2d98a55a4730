// A key, as it is written on the keyboard.

import { cx } from './class-names.ts';

const look =
  'inline-flex h-[18px] min-w-[18px] items-center justify-center rounded-1 border border-line-2 bg-surface px-1 font-sans text-11 leading-none font-medium text-ink-2';

export function Kbd({ children, className }: { children: string; className?: string }) {
  return <kbd className={cx(look, className)}>{children}</kbd>;
}

/** Drawn, and no part of the words around it: the element says its key by aria-keyshortcuts. */
export function DrawnKbd({ keys, className }: { keys: string; className?: string }) {
  return <kbd aria-hidden data-keys={keys} className={cx(look, 'before:content-[attr(data-keys)]', className)} />;
}
