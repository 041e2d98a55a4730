// What opens beside a control: free content, or a list of commands.

import { Check, type LucideIcon } from 'lucide-react';
import { DropdownMenu, Popover as RadixPopover } from 'radix-ui';
import type { ReactElement, ReactNode } from 'react';
import { cx } from './class-names.ts';

const floating = 'z-40 rounded-3 bg-raised shadow-float outline-none';

type PopoverProps = { trigger: ReactElement; label: string; children: ReactNode; className?: string };

export function Popover({ trigger, label, children, className }: PopoverProps) {
  return (
    <RadixPopover.Root>
      <RadixPopover.Trigger asChild>{trigger}</RadixPopover.Trigger>
      <RadixPopover.Portal>
        <RadixPopover.Content
          aria-label={label}
          align="start"
          sideOffset={6}
          collisionPadding={12}
          className={cx(floating, 'w-80 p-4', className)}
        >
          {children}
        </RadixPopover.Content>
      </RadixPopover.Portal>
    </RadixPopover.Root>
  );
}

type MenuProps = {
  trigger: ReactElement;
  children: ReactNode;
  align?: 'start' | 'end';
  side?: 'bottom' | 'right' | 'top';
};

export function Menu({ trigger, children, align = 'start', side = 'bottom' }: MenuProps) {
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align={align}
          side={side}
          sideOffset={6}
          collisionPadding={12}
          className={cx(floating, 'max-h-80 min-w-52 overflow-y-auto p-1')}
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

type MenuItemProps = {
  icon?: LucideIcon;
  onSelect?: () => void;
  disabled?: boolean;
  /** Of a choice: whether it is the present one. */
  isChosen?: boolean;
  children: ReactNode;
};

const menuItem =
  'flex min-h-8 cursor-default items-center gap-2.5 rounded-2 px-2.5 py-1 outline-none data-disabled:text-ink-3 ' +
  'data-highlighted:bg-hover narrow:min-h-11';

export function MenuItem({ icon: Icon, onSelect, disabled, isChosen, children }: MenuItemProps) {
  return (
    <DropdownMenu.Item disabled={disabled} onSelect={onSelect} className={menuItem}>
      {Icon && <Icon size={16} strokeWidth={1.75} aria-hidden className="shrink-0 text-ink-2" />}
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {isChosen && <Check size={16} strokeWidth={2} aria-label="chosen" className="shrink-0 text-agent-ink" />}
    </DropdownMenu.Item>
  );
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return <DropdownMenu.Label className="px-2.5 py-1.5 text-12 text-ink-3">{children}</DropdownMenu.Label>;
}

export function MenuLine() {
  return <DropdownMenu.Separator className="my-1 h-px bg-line" />;
}
