// One choice out of a few, all in sight.

import type { LucideIcon } from 'lucide-react';
import { ToggleGroup } from 'radix-ui';
import { cx } from './class-names.ts';

type Option<Value extends string> = { value: Value; label: string; icon?: LucideIcon };
type SegmentedProps<Value extends string> = {
  label: string;
  value: Value;
  options: readonly Option<Value>[];
  onChange: (value: Value) => void;
  className?: string;
};

export function Segmented<Value extends string>({ label, value, options, onChange, className }: SegmentedProps<Value>) {
  return (
    <ToggleGroup.Root
      type="single"
      aria-label={label}
      value={value}
      // Pressing the chosen one again would leave none chosen.
      onValueChange={(next) => next && onChange(next as Value)}
      className={cx('inline-flex rounded-[8px] bg-sunken p-0.5', className)}
    >
      {options.map(({ value: own, label: name, icon: Icon }) => (
        <ToggleGroup.Item
          key={own}
          value={own}
          className="inline-flex h-7 items-center gap-1.5 rounded-2 px-2.5 font-medium whitespace-nowrap text-ink-2 hover:text-ink data-[state=on]:bg-raised data-[state=on]:text-ink data-[state=on]:shadow-low dark:data-[state=on]:inset-ring-1 dark:data-[state=on]:inset-ring-line-2"
        >
          {Icon && <Icon size={16} strokeWidth={1.75} aria-hidden />}
          {name}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}
