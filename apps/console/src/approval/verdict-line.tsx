// What the policy said of a step, as one quiet line. Only the yes of a person has a colour.

import { ShieldCheck } from 'lucide-react';
import type { Verdict } from '../live/api-types.ts';
import { cx } from '../ui/class-names.ts';
import { describeVerdict } from './describe-verdict.ts';

export function VerdictLine({ verdict, className }: { verdict: Verdict; className?: string }) {
  const { said, sentence, approvedBy } = describeVerdict(verdict);
  return (
    <p data-testid="verdict" title={sentence} className={cx('flex min-w-0 gap-1 text-12 text-ink-3', className)}>
      {approvedBy !== undefined && (
        <span className="flex max-w-[60%] shrink-0 items-center gap-1 text-person-ink">
          <ShieldCheck size={14} strokeWidth={1.75} aria-hidden className="shrink-0" />
          <span className="truncate">
            approved by <bdi>{approvedBy}</bdi>
          </span>
        </span>
      )}
      <span className="min-w-0 truncate" dir="auto">
        {`${approvedBy === undefined ? '' : '· '}${said} · ${sentence}`}
      </span>
    </p>
  );
}
