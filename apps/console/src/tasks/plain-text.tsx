// A long text of a page or a task, as text only: nothing in it becomes markup or a link. It comes in parts, because one word without
// a break takes the square of its length to lay out.

import { useState } from 'react';
import { cx } from '../ui/class-names.ts';

const partLength = 5000;

export function PlainText({ text, label, className }: { text: string; label: string; className: string }) {
  const [shown, setShown] = useState(partLength);
  return (
    <>
      <section
        dir="auto"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys
        tabIndex={0}
        className={cx('max-h-[60vh] overflow-auto rounded-2 bg-bg p-3 wrap-anywhere whitespace-pre-wrap', className)}
      >
        {text.slice(0, shown)}
      </section>
      {text.length > shown && (
        <button type="button" onClick={() => setShown(shown + partLength)} className="min-h-6 text-12 text-agent-ink">
          {`The next of ${text.length - shown} characters`}
        </button>
      )}
    </>
  );
}
