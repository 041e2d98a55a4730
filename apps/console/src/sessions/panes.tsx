// How the session page is laid out: window and panel side by side, one under the other where it is narrow.

import type { ReactNode } from 'react';
import { useIsNarrow } from '../window/use-size.ts';
import { panelShare, Resizer } from './resizer.tsx';

type PanesProps = { window: ReactNode; panel: ReactNode; axis: ReactNode; drawer: ReactNode };

export function Panes({ window, panel, axis, drawer }: PanesProps) {
  const share = panelShare.use();
  const isNarrow = useIsNarrow();
  return (
    <>
      <div className="flex min-h-0 flex-1 max-lg:flex-col">
        <section
          aria-label="Browser"
          className="flex min-h-0 min-w-0 flex-1 flex-col bg-bg p-3 max-lg:basis-[52%] narrow:flex-none narrow:basis-auto narrow:p-0"
        >
          {window}
        </section>
        {isNarrow && axis}
        <Resizer />
        <div
          className="flex min-h-0 min-w-0 shrink-0 border-line max-lg:w-auto! max-lg:basis-[48%] max-lg:border-t lg:border-l narrow:flex-1 narrow:shrink"
          style={{ width: `max(320px, ${share}%)` }}
        >
          {panel}
        </div>
      </div>
      {!isNarrow && axis}
      {drawer}
    </>
  );
}
