// What stands where there is nothing yet, or where something could not be read.

import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from './class-names.ts';

type EmptyProps = { icon: LucideIcon; title: string; text?: string; children?: ReactNode; className?: string };

export function Empty({ icon: Icon, title, text, children, className }: EmptyProps) {
  return (
    <div className={cx('grid content-center justify-items-center gap-1.5 p-8 text-center text-ink-2', className)}>
      <Icon size={20} strokeWidth={1.75} aria-hidden className="mb-1.5 text-ink-3" />
      <h2 className="text-14 font-semibold text-ink">{title}</h2>
      {text && <p className="max-w-96">{text}</p>}
      {children && <div className="mt-3 flex flex-wrap justify-center gap-2">{children}</div>}
    </div>
  );
}
