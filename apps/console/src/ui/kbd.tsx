// A key, as it is written on the keyboard.

import { cx } from './class-names.ts';

export function Kbd({ children, className }: { children: string; className?: string }) {
  return (
    <kbd
      className={cx(
        'inline-flex h-[18px] min-w-[18px] items-center justify-center rounded-1 border border-line-2 bg-surface px-1 font-sans text-11 leading-none font-medium text-ink-2',
        className,
      )}
    >
      {children}
    </kbd>
  );
}
