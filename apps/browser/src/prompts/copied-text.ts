// Text that a page put on the clipboard while a person drove. It is kept for a few seconds, in memory only.

import type { SessionView } from '@pilothouse/bus';

const keepMs = 5000;
export const maxCopiedBytes = 64 * 1024;

export type CopiedTexts = {
  put(text: string): void;
  now(): SessionView['copied'];
  clear(): void;
};

export function createCopiedTexts(onChange: () => void): CopiedTexts {
  let last: SessionView['copied'] = null;
  let count = 0;
  let timer: NodeJS.Timeout | undefined;

  function set(next: SessionView['copied']): void {
    clearTimeout(timer);
    last = next;
    if (next) timer = setTimeout(() => set(null), keepMs).unref();
    onChange();
  }

  return {
    put(text) {
      if (text === '') return;
      count += 1;
      const cut = cutBytes(text.toWellFormed());
      set({ number: count, text: cut, truncated: cut.length < text.length });
    },
    now: () => last,
    clear: () => set(null),
  };
}

/** Cut before the first character that does not fit. */
function cutBytes(text: string): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxCopiedBytes));
  return text.slice(0, read);
}
