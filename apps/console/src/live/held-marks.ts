// What a person does in the page leaves a mark in the stream, which comes while the picture of its effect is on the way. It is
// taken up a little later: to draw the page for it would hold up the picture.

import type { LiveEvent } from './api-types.ts';

const holdMs = 250;

type Options = {
  apply: (event: LiveEvent) => void;
  later?: (ms: number, work: () => void) => () => void;
};

export function createHeldMarks({ apply, later = afterMs }: Options) {
  let held: LiveEvent[] = [];
  let cancel: (() => void) | undefined;
  const release = () => {
    cancel?.();
    cancel = undefined;
    const released = held;
    held = [];
    for (const event of released) apply(event);
  };
  return {
    /** Applies the event now, or soon, in the order of the log. Frames are not logged, and wait for nothing. */
    take(event: LiveEvent): void {
      if (event.type === 'overlay' && event.overlay.source === 'human') {
        held.push(event);
        cancel ??= later(holdMs, release);
      } else {
        if (event.type !== 'frame') release();
        apply(event);
      }
    },
    /** What is held is dropped. */
    close(): void {
      cancel?.();
      held = [];
    },
  };
}

function afterMs(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
}
