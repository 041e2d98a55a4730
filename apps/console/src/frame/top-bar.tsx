// The bar over every page: what it is, and what can be done with it.

import { Search } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { isMac } from '../common/shortcuts.ts';
import { openPalette } from '../palette/palette-state.ts';
import { cx } from '../ui/class-names.ts';
import { DrawnKbd } from '../ui/kbd.tsx';
import { ConnectionDot } from './connection-dot.tsx';

type TopBarProps = {
  /** Also the title of the browser's tab. */
  title: string;
  /** Before the title, such as the way back. */
  start?: ReactNode;
  /** After the title, on the left. */
  beside?: ReactNode;
  /** On the right, before the search. */
  children?: ReactNode;
  /** Only the icon and the key, where the bar holds much else; nothing of it where the window is narrow. */
  hasShortSearch?: boolean;
  /** The page has a live picture, which says itself when it is not live. */
  hasPicture?: boolean;
};

export function TopBar({ title, start, beside, children, hasShortSearch = false, hasPicture = false }: TopBarProps) {
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
      {!hasPicture && <ConnectionDot />}
      {children}
      <button
        type="button"
        aria-label="Search and commands"
        aria-keyshortcuts={isMac ? 'Meta+K' : 'Control+K'}
        onClick={openPalette}
        className={cx(
          '-mr-1 inline-flex h-8 shrink-0 items-center gap-1.5 rounded-2 px-2 text-ink-2 hover:bg-hover hover:text-ink narrow:size-11 narrow:justify-center',
          hasShortSearch && 'narrow:hidden',
        )}
      >
        <Search size={14} strokeWidth={1.75} aria-hidden className="narrow:hidden" />
        <Search size={20} strokeWidth={1.75} aria-hidden className="hidden narrow:block" />
        {!hasShortSearch && <span className="narrow:hidden">Search and commands</span>}
        <DrawnKbd keys={isMac ? '⌘K' : 'Ctrl K'} className="narrow:hidden" />
      </button>
    </header>
  );
}
