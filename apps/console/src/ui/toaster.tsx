// Shows the messages of toasts.ts, once in the app. Pages load it after they are shown (see main.tsx). A message takes no
// key and no focus: Escape still closes what is open.

import { Check, Info, TriangleAlert, X } from 'lucide-react';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { cx } from './class-names.ts';
import { onToasts, readToasts, removeToast, type Toast } from './toasts.ts';

const icons = { plain: Info, good: Check, bad: TriangleAlert } as const;
const colours = { plain: 'text-ink-2', good: 'text-good-ink', bad: 'text-bad-ink' } as const;
const shownMs = 6000;

export default function Toaster() {
  const toasts = useSyncExternalStore(onToasts, readToasts);
  return (
    <section aria-label="Messages" aria-live="polite">
      <ol className="pointer-events-none fixed right-4 bottom-4 z-50 flex w-[min(360px,calc(100vw-32px))] flex-col gap-2 narrow:bottom-[76px]">
        {toasts.map((toast) => (
          <OneToast key={toast.id} {...toast} />
        ))}
      </ol>
    </section>
  );
}

function OneToast({ id, text, tone }: Toast) {
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    // It is being read, or its button has the focus.
    if (isHeld) return;
    const timer = setTimeout(() => removeToast(id), shownMs);
    return () => clearTimeout(timer);
  }, [id, isHeld]);
  const Icon = icons[tone];
  const hold = (held: boolean) => () => setHeld(held);
  return (
    <li
      onPointerEnter={hold(true)}
      onPointerLeave={hold(false)}
      onFocus={hold(true)}
      onBlur={hold(false)}
      className="pointer-events-auto flex items-center gap-2.5 rounded-3 bg-raised px-3.5 py-3 shadow-float"
    >
      <Icon size={16} strokeWidth={1.75} aria-hidden className={cx('shrink-0', colours[tone])} />
      <span className="min-w-0 flex-1 wrap-anywhere" dir="auto">
        {text}
      </span>
      <button
        type="button"
        aria-label="Close"
        onClick={() => removeToast(id)}
        className="grid size-6 shrink-0 place-items-center rounded-1 text-ink-3 hover:text-ink"
      >
        <X size={14} strokeWidth={2} aria-hidden />
      </button>
    </li>
  );
}
