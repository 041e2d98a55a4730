// The box in which a person writes: the field, and under or beside it what sends it.

import { ArrowUp } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from '../ui/button.tsx';
import { cx } from '../ui/class-names.ts';

const sizes = { lg: 'rounded-4', md: 'rounded-3', sm: 'rounded-2' } as const;

type SayBoxProps = { size: keyof typeof sizes; className?: string; children: ReactNode };

export function SayBox({ size, className, children }: SayBoxProps) {
  return (
    <div
      className={cx(
        'border border-control bg-surface focus-within:border-agent focus-within:ring-3 focus-within:ring-agent-soft',
        sizes[size],
        className,
      )}
    >
      {children}
    </div>
  );
}

/** Sends the form that it is in. */
export function SendButton({ label, isReady }: { label: string; isReady: boolean }) {
  return <IconButton type="submit" look="primary" size="sm" icon={ArrowUp} label={label} disabled={!isReady} />;
}
