// What a screen reader is told of the steps: one line at a time, and not more often than it can be heard.

import type { StepState, TimelineItem } from './timeline-model.ts';

type Options = {
  say: (line: string) => void;
  /** In milliseconds. */
  now: () => number;
  /** Calls once, after this many milliseconds. Returns a function that calls it off. */
  later: (work: () => void, ms: number) => () => void;
};

const everyMs = 5000;

export function createStepNews({ say, now, later }: Options) {
  let known: string | undefined;
  let saidAt = Number.NEGATIVE_INFINITY;
  let waiting: { line: string; callOff: () => void } | undefined;

  function speak(line: string): void {
    waiting = undefined;
    saidAt = now();
    say(line);
  }

  return {
    /** The first line is what the page began with, and no news. Of lines that come too fast only the newest is said. */
    hear(line: string): void {
      const isFirst = known === undefined;
      if (line === known) return;
      known = line;
      if (isFirst || line === '') return;
      if (waiting) {
        waiting.line = line;
        return;
      }
      const leftMs = saidAt + everyMs - now();
      if (leftMs <= 0) {
        speak(line);
        return;
      }
      const next = { line, callOff: later(() => speak(next.line), leftMs) };
      waiting = next;
    },
    close(): void {
      waiting?.callOff();
      waiting = undefined;
    },
  };
}

const words: Partial<Record<StepState, string>> = {
  done: ' done',
  failed: ' failed',
  interrupted: ' was interrupted',
  running: '',
};
const maxChars = 200;

/** The newest step that was begun: `Step 4: Search the shop`, `Step 4 failed: …`. Empty before the first one. */
export function stepLine(items: readonly TimelineItem[]): string {
  const step = items.findLast((item) => item.type === 'step' && words[item.state] !== undefined);
  if (step?.type !== 'step') return '';
  const { index, state, title, tries } = step;
  const again = state === 'running' && tries > 1 ? `, try ${tries}` : '';
  return `Step ${index}${words[state]}${again}: ${title.slice(0, maxChars)}`;
}
