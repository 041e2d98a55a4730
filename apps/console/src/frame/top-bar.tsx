// The bar over every page: what it is, and what can be done with it.

import { type ReactNode, useEffect } from 'react';

type TopBarProps = {
  /** Also the title of the browser's tab. */
  title: string;
  /** Before the title, such as the way back. */
  start?: ReactNode;
  /** After the title, on the left. */
  beside?: ReactNode;
  /** On the right. */
  children?: ReactNode;
};

export function TopBar({ title, start, beside, children }: TopBarProps) {
  useEffect(() => {
    document.title = `${title} · Pilothouse`;
  }, [title]);
  return (
    <header className="flex h-13 shrink-0 items-center gap-3 border-b border-line bg-surface px-4">
      {start}
      <h1 className="truncate text-14 font-semibold" dir="auto">
        {title}
      </h1>
      {beside}
      <div className="min-w-0 flex-1" />
      {children}
    </header>
  );
}
