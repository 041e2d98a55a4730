// Shows the messages of toasts.ts, once in the app. Pages load it after they are shown (see main.tsx).

import { Check, Info, TriangleAlert, X } from 'lucide-react';
import { Toast as Radix } from 'radix-ui';
import { useSyncExternalStore } from 'react';
import { onToasts, readToasts, removeToast, type Toast } from './toasts.ts';

const icons = { plain: Info, good: Check, bad: TriangleAlert } as const;
const colours = { plain: 'text-ink-2', good: 'text-good-ink', bad: 'text-bad-ink' } as const;

export default function Toaster() {
  const toasts = useSyncExternalStore(onToasts, readToasts);
  return (
    <Radix.Provider swipeDirection="right" duration={6000} label="Message">
      {toasts.map((toast) => (
        <OneToast key={toast.id} {...toast} />
      ))}
      <Radix.Viewport className="fixed right-4 bottom-4 z-50 flex w-[min(360px,calc(100vw-32px))] flex-col gap-2 outline-none narrow:bottom-[76px]" />
    </Radix.Provider>
  );
}

function OneToast({ id, text, tone }: Toast) {
  const Icon = icons[tone];
  return (
    <Radix.Root
      onOpenChange={(isOpen) => !isOpen && removeToast(id)}
      className="flex items-center gap-2.5 rounded-3 bg-raised px-3.5 py-3 shadow-float"
    >
      <Icon size={16} strokeWidth={1.75} aria-hidden className={colours[tone]} />
      <Radix.Description className="min-w-0 flex-1 wrap-anywhere" dir="auto">
        {text}
      </Radix.Description>
      <Radix.Close aria-label="Close" className="grid size-6 place-items-center rounded-1 text-ink-3 hover:text-ink">
        <X size={14} strokeWidth={2} aria-hidden />
      </Radix.Close>
    </Radix.Root>
  );
}
