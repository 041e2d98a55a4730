// Text of pages, models and people that may be long.

import { useState } from 'react';
import { cx } from './class-names.ts';

/** Cut at two lines, with the way to the rest. */
export function LongText({ text, lines = 2, className }: { text: string; lines?: 2 | 4; className?: string }) {
  const [isOpen, setOpen] = useState(false);
  const isLong = text.length > lines * 60 || text.split('\n').length > lines;
  return (
    <>
      <span
        dir="auto"
        className={cx(
          'break-words whitespace-pre-wrap',
          isOpen ? 'block' : lines === 2 ? 'line-clamp-2' : 'line-clamp-4',
          className,
        )}
      >
        {text}
      </span>
      {isLong && (
        <button type="button" onClick={() => setOpen(!isOpen)} className="text-12 text-agent-ink">
          {isOpen ? 'less' : 'more'}
        </button>
      )}
    </>
  );
}
