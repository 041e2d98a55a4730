// Text of pages, models and people that may be long.

import { useState } from 'react';
import { cx } from './class-names.ts';

/** More of it than a clamped line can show; a word without a break takes the square of its length to lay out. */
const lineLength = 400;
/** The rest comes in parts of this length. */
const partLength = 5000;

/** Cut at two lines, with the way to the rest. */
export function LongText({ text, lines = 2, className }: { text: string; lines?: 2 | 4; className?: string }) {
  const [shown, setShown] = useState(0);
  const isOpen = shown > 0;
  const hasRest = isOpen ? text.length > shown : true;
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
        {text.slice(0, isOpen ? shown : lines * lineLength)}
      </span>
      {isLong && (
        <button
          type="button"
          onClick={() => setShown(hasRest ? shown + partLength : 0)}
          className="text-12 text-agent-ink"
        >
          {hasRest ? 'more' : 'less'}
        </button>
      )}
    </>
  );
}
