// The state of a task or session: always a shape and a word beside the colour.

import type { LucideIcon } from 'lucide-react';
import { cx } from './class-names.ts';

const tones = {
  plain: ['bg-sunken text-ink-2', 'bg-ink-3'],
  agent: ['bg-agent-soft text-agent-ink', 'bg-agent'],
  person: ['bg-person-soft text-person-ink', 'bg-person-edge'],
  driving: ['bg-person text-on-person', 'bg-on-person'],
  other: ['bg-other-soft text-other-ink', 'bg-other'],
  good: ['bg-good-soft text-good-ink', 'bg-good'],
  bad: ['bg-bad-soft text-bad-ink', 'bg-bad'],
  line: ['inset-ring-1 inset-ring-line-2 text-ink-2', 'bg-ink-3'],
} as const;

export type ChipTone = keyof typeof tones;

type ChipProps = { tone?: ChipTone; icon?: LucideIcon; className?: string; children: string };

/** Without an icon it has a dot. */
export function Chip({ tone = 'plain', icon: Icon, className, children }: ChipProps) {
  const [chip, dot] = tones[tone];
  return (
    <span
      className={cx(
        'inline-flex h-[22px] shrink-0 items-center gap-1.5 rounded-full px-2 text-12 font-medium whitespace-nowrap',
        chip,
        className,
      )}
    >
      {Icon ? (
        <Icon size={14} strokeWidth={2} aria-hidden />
      ) : (
        <span aria-hidden className={cx('ml-px size-2 shrink-0 rounded-full', dot)} />
      )}
      {children}
    </span>
  );
}

/** A number that waits for a person. */
export function Badge({ count, label, className }: { count: number; label: string; className?: string }) {
  return (
    <span
      className={cx(
        'inline-grid h-4 min-w-4 place-items-center rounded-full bg-person px-1 text-11 leading-none font-semibold text-on-person tabular-nums',
        className,
      )}
    >
      <span aria-hidden>{count > 99 ? '99+' : count}</span>
      <span className="sr-only">{label}</span>
    </span>
  );
}
