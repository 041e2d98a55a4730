// One part of the settings.

import type { ReactNode } from 'react';

export function Section({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="first:[&>h2]:text-20">
      <h2 className="text-16 font-semibold">{title}</h2>
      <p className="mb-3 text-14 text-ink-2" dir="auto">
        {text}
      </p>
      {children}
    </section>
  );
}

export const rowClass = 'flex min-h-10 items-center gap-3 border-t border-line px-3 py-1 first:border-t-0';
export const listClass = 'rounded-3 bg-surface ring-1 ring-line';
