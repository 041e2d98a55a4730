// Why a task waits, and for how long.

import type { InboxItem } from '@pilothouse/contract';
import { CircleHelp, ListChecks, ShieldCheck, ShipWheel, TriangleAlert } from 'lucide-react';
import { describeWait } from './wait.ts';

const icons = {
  question: CircleHelp,
  approval: ShieldCheck,
  plan: ListChecks,
  doubt: TriangleAlert,
  driven: ShipWheel,
} as const;

export function WaitLine({ item, since }: { item: InboxItem; since: string }) {
  const { kind, word } = describeWait(item);
  const Icon = icons[kind];
  return (
    <p className="flex items-center gap-1.5 text-12">
      <Icon size={14} strokeWidth={1.75} aria-hidden className="text-person-ink" />
      <span className="text-person-ink">{word}</span>
      <span className="flex-1" />
      <span className="text-ink-3 tabular-nums">{since}</span>
    </p>
  );
}
