// The timeline: what was asked and done, row by row. Only rows in sight are in the page.

import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef } from 'react';
import { ScrollingContext } from './scrolling.ts';
import { SpokenNews } from './spoken-news.tsx';
import type { TimelineItem } from './timeline-model.ts';

type TimelineProps = {
  items: readonly TimelineItem[];
  render: (item: TimelineItem) => ReactNode;
  /** The step that is looked back to: it is brought into sight. */
  shownStep?: string;
  /** The rows in sight, after each change of them. */
  onSight?: (items: readonly TimelineItem[]) => void;
};

const heights = { prompt: 66, step: 40, decision: 60, question: 64, note: 44, handover: 48 } as const;
/** So close to its end, the list follows what is added. */
const endPx = 48;

/** The present row with the one after it; what is taller than the list is read from its top. */
function showLast(list: Virtualizer<HTMLElement, Element>, current: number, count: number): void {
  const { size = 0 } = list.getVirtualItems().find(({ index }) => index === current) ?? {};
  if (size > (list.scrollElement?.clientHeight ?? 0)) list.scrollToIndex(current, { align: 'start' });
  else list.scrollToIndex(Math.min(current + 1, count - 1), { align: 'end' });
}

export function Timeline({ items, render, shownStep, onSight }: TimelineProps) {
  const scroller = useRef<HTMLElement>(null);
  const isAtEnd = useRef(true);
  /** Rows are measured while they are shown, which scrolls as well: only a person moves the list away from its end. */
  const isMoved = useRef(false);
  const list = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => heights[items[index]?.type ?? 'step'],
    getItemKey: (index) => items[index]?.key ?? index,
    overscan: 6,
    // Rows that come late by a frame are not seen missing; drawing them inside the scroll event holds the frame up.
    useFlushSync: false,
  });
  const current = items.findLastIndex(
    (item) => item.type !== 'step' || (item.state !== 'coming' && item.state !== 'not_run'),
  );
  const height = list.getTotalSize();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the end moves when rows are measured
  useEffect(() => {
    if (shownStep === undefined && isAtEnd.current && current >= 0) showLast(list, current, items.length);
  }, [current, items.length, list, height, shownStep]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another step moves the list
  useEffect(() => {
    const index =
      shownStep === undefined ? -1 : items.findLastIndex((one) => one.type === 'step' && one.stepId === shownStep);
    if (index >= 0) list.scrollToIndex(index, { align: 'auto' });
  }, [shownStep]);
  const rows = list.getVirtualItems();
  const [first, last] = [rows[0]?.index ?? 0, rows.at(-1)?.index ?? -1];
  useEffect(() => onSight?.(items.slice(first, last + 1)), [items, first, last, onSight]);
  const onMoved = () => {
    isMoved.current = true;
  };

  return (
    <section
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys
      tabIndex={0}
      aria-label="Steps"
      data-testid="timeline"
      onWheel={onMoved}
      onTouchMove={onMoved}
      onPointerDown={onMoved}
      onKeyDown={onMoved}
      onScroll={({ currentTarget }) => {
        if (!isMoved.current) return;
        const end = currentTarget.scrollTop + currentTarget.clientHeight + endPx;
        const lastRow = list.getVirtualItems().at(-1);
        isAtEnd.current = (lastRow?.index ?? 0) >= current && end >= (lastRow?.start ?? 0);
      }}
      className="min-h-0 flex-1 overflow-x-hidden overflow-y-auto px-4 pt-3 pb-2 -outline-offset-2"
    >
      {/* Another task begins with another row. */}
      <SpokenNews key={items[0]?.key} items={items} />
      <ol className="relative" style={{ height }}>
        <ScrollingContext value={list.isScrolling}>
          {rows.map((row) => {
            const item = items[row.index];
            return item ? (
              <li
                key={row.key}
                ref={list.measureElement}
                data-index={row.index}
                aria-setsize={items.length}
                aria-posinset={row.index + 1}
                className="absolute inset-x-0 top-0 flow-root [contain:layout_style]"
                style={{ transform: `translateY(${row.start}px)` }}
              >
                {render(item)}
              </li>
            ) : null;
          })}
        </ScrollingContext>
      </ol>
    </section>
  );
}
