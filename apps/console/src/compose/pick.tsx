// The button of a choice beside a prompt: it shows what is chosen.

import { ChevronDown, type LucideIcon } from 'lucide-react';
import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { cx } from '../ui/class-names.ts';

type PickProps = ButtonHTMLAttributes<HTMLButtonElement> & { icon: LucideIcon; isWrong?: boolean; children: ReactNode };

export function Pick({ icon: Icon, isWrong, children, ...rest }: PickProps) {
  return (
    <button
      type="button"
      {...rest}
      className={cx(
        'inline-flex h-7 min-w-0 items-center gap-1.5 rounded-2 px-2 text-12 font-medium hover:bg-hover narrow:h-11',
        isWrong ? 'text-bad-ink' : 'text-ink-2 hover:text-ink',
      )}
    >
      <Icon size={14} strokeWidth={1.75} aria-hidden className="shrink-0" />
      <span className="max-w-40 truncate" dir="auto">
        {children}
      </span>
      <ChevronDown size={14} strokeWidth={1.75} aria-hidden className="shrink-0" />
    </button>
  );
}
