// Buttons, with words or with an icon alone.

import type { LucideIcon } from 'lucide-react';
import type { ButtonHTMLAttributes, MouseEvent, Ref } from 'react';
import { cx } from './class-names.ts';
import { Tooltip } from './tooltip.tsx';

const looks = {
  plain: 'border-line-2 bg-surface text-ink font-medium hover:bg-hover',
  primary: 'border-transparent bg-agent text-on-agent font-medium hover:bg-agent-hover',
  /** A person acts: only for what hands the wheel to a person, or back, and for a yes. */
  person: 'border-transparent bg-person text-on-person font-semibold',
  take: 'border-person-edge bg-surface text-ink font-semibold hover:bg-hover',
  danger: 'border-transparent bg-bad text-on-bad font-medium',
  quiet: 'border-transparent bg-transparent text-ink-2 font-medium hover:bg-hover hover:text-ink',
} as const;

const sizes = {
  sm: 'h-7 px-2.5',
  md: 'h-8 px-3',
  lg: 'h-9 px-3.5',
  xl: 'h-11 px-[18px] text-14 font-semibold',
} as const;

const iconSizes = { sm: 'size-7', md: 'size-8', lg: 'size-9', xl: 'size-11' } as const;

const common =
  'inline-flex shrink-0 items-center justify-center gap-1.5 rounded-2 border whitespace-nowrap transition-colors ' +
  'disabled:border-line disabled:bg-sunken disabled:text-ink-3 ' +
  'aria-disabled:border-line aria-disabled:bg-sunken aria-disabled:text-ink-3';

export type ButtonLook = keyof typeof looks;
export type ButtonSize = keyof typeof sizes;

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  look?: ButtonLook;
  size?: ButtonSize;
  icon?: LucideIcon;
  /** An answer is awaited. It does nothing, but keeps the focus, which a disabled button loses. */
  isBusy?: boolean;
  ref?: Ref<HTMLButtonElement>;
};

/** The classes of a button, for links that look like one. */
export const buttonClass = (look: ButtonLook = 'plain', size: ButtonSize = 'md', className?: string) =>
  cx(common, looks[look], sizes[size], className);

/** What makes a button do nothing, and nothing while it is not busy. */
const busyProps = (isBusy: boolean | undefined) =>
  isBusy ? { 'aria-disabled': true, onClick: (event: MouseEvent) => event.preventDefault() } : {};

export function Button({ look, size, icon: Icon, isBusy, className, children, type = 'button', ...rest }: ButtonProps) {
  return (
    <button type={type} className={buttonClass(look, size, className)} {...rest} {...busyProps(isBusy)}>
      {Icon && (
        <Icon
          size={16}
          strokeWidth={1.75}
          aria-hidden
          className={cx('-ml-0.5', look === 'take' && 'text-person-ink')}
        />
      )}
      {children}
    </button>
  );
}

type IconButtonProps = Omit<ButtonProps, 'icon' | 'children'> & { icon: LucideIcon; label: string };

/** A button that shows only an icon; its name is spoken, and shown on hover. */
export function IconButton({
  look = 'quiet',
  size = 'md',
  icon: Icon,
  label,
  isBusy,
  className,
  type = 'button',
  ...rest
}: IconButtonProps) {
  return (
    <Tooltip text={label}>
      <button
        type={type}
        aria-label={label}
        className={cx(common, looks[look], iconSizes[size], className)}
        {...rest}
        {...busyProps(isBusy)}
      >
        <Icon size={16} strokeWidth={1.75} aria-hidden />
      </button>
    </Tooltip>
  );
}
