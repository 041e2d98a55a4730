// Keys that the keyboard of a touch screen lacks, for the person who drives.

import { Keyboard } from 'lucide-react';
import type { InputQueue } from '../live/input-queue.ts';
import { showToast } from '../ui/toasts.ts';

const keys = [
  { label: 'Tab', key: 'Tab' },
  { label: 'Esc', key: 'Escape' },
  { label: '⌫', key: 'Backspace', name: 'Backspace' },
  { label: 'Enter', key: 'Enter' },
];
const look = 'grid h-11 min-w-0 place-items-center rounded-2 border border-line-2 bg-surface font-medium';

export default function KeyRow({ queue }: { queue: InputQueue }) {
  const paste = async () => {
    try {
      const text = await navigator.clipboard.readText();
      if (text) queue.push({ action: 'paste', text: text.slice(0, 50_000) });
    } catch {
      showToast('The browser does not let this page read what was copied.', 'bad');
    }
  };
  return (
    <div
      role="toolbar"
      aria-label="Keys for the page"
      className="hidden shrink-0 grid-cols-6 gap-1.5 border-t border-line bg-bg p-2 pointer-coarse:grid narrow:grid"
    >
      {keys.map(({ label, key, name }) => (
        <button
          key={key}
          type="button"
          aria-label={name}
          onClick={() => queue.push({ action: 'key', key, modifiers: [] })}
          className={look}
        >
          {label}
        </button>
      ))}
      <button type="button" onClick={() => void paste()} className={look}>
        Paste
      </button>
      <button
        type="button"
        aria-label="Keyboard"
        onClick={() => document.querySelector<HTMLElement>('[data-takes-keys]')?.focus({ preventScroll: true })}
        className="grid h-11 min-w-0 place-items-center rounded-2 bg-agent text-on-agent"
      >
        <Keyboard size={18} strokeWidth={1.75} aria-hidden />
      </button>
    </div>
  );
}
