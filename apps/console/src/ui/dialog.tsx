// A window over the page, which waits for an answer.

import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { cx } from './class-names.ts';
import { useFocusBack } from './use-focus-back.ts';

type DialogProps = {
  isOpen: boolean;
  /** Absent: it cannot be closed without an answer. */
  onClose?: () => void;
  title: string;
  text?: string;
  children: ReactNode;
  className?: string;
};

export function Dialog({ isOpen, onClose, title, text, children, className }: DialogProps) {
  const focusBack = useFocusBack();
  const stay = onClose ? undefined : (event: Event) => event.preventDefault();
  return (
    <Radix.Root open={isOpen} onOpenChange={(next) => !next && onClose?.()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-scrim" />
        <Radix.Content
          {...focusBack}
          onEscapeKeyDown={stay}
          onInteractOutside={stay}
          {...(text ? {} : { 'aria-describedby': undefined })}
          className={cx(
            'fixed top-1/2 left-1/2 z-40 max-h-[calc(100dvh-32px)] w-[min(440px,calc(100vw-32px))] -translate-1/2 overflow-y-auto rounded-4 bg-raised p-6 shadow-modal outline-none',
            className,
          )}
        >
          <Radix.Title className="text-16 font-semibold">{title}</Radix.Title>
          {text && <Radix.Description className="mt-1 text-14 text-ink-2">{text}</Radix.Description>}
          <div className="mt-5">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
