// Tells a screen reader of the steps as they come, unless the person has switched it off in the settings.

import { useEffect, useState } from 'react';
import { spokenSteps } from '../common/spoken-steps.ts';
import { createStepNews, stepLine } from './step-news.ts';
import type { TimelineItem } from './timeline-model.ts';

function later(work: () => void, ms: number): () => void {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
}

export function SpokenNews({ items }: { items: readonly TimelineItem[] }) {
  const [line, say] = useState('');
  const [news] = useState(() => createStepNews({ say, now: () => performance.now(), later }));
  useEffect(() => {
    if (items.length > 0 && spokenSteps.read() === 'on') news.hear(stepLine(items));
  }, [items, news]);
  useEffect(() => news.close, [news]);
  return (
    <p role="status" data-testid="step-news" className="sr-only" dir="auto">
      {line}
    </p>
  );
}
