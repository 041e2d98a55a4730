// Text of pages, models and people that may be long.

import { useLayoutEffect, useRef, useState } from 'react';
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
  const words = useRef<HTMLSpanElement>(null);
  const [isCut, setCut] = useState(false);
  // A text of a few words is never cut, a long one always: only those between are measured.
  const isLong = text.length > lines * 60 || text.split('\n').length > lines || isCut;
  useLayoutEffect(() => {
    if (text.length <= lines * 20 || text.length > lines * 60 || !words.current) return;
    setCut(words.current.scrollHeight > words.current.clientHeight + 1);
  }, [text, lines]);
  return (
    <>
      <span
        ref={words}
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
