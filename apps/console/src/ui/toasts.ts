// The messages that are shown for a moment. Kept outside React, so that anything may send one.

export type Toast = { id: number; text: string; tone: 'plain' | 'good' | 'bad' };

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

/** A message is read in a few seconds; a longer one would cover the page, and take long to lay out. */
const longest = 300;

/** Shows a message for a few seconds. At most three are shown; the oldest goes first. */
export function showToast(words: string, tone: Toast['tone'] = 'plain'): void {
  const text = words.length > longest ? `${words.slice(0, longest)}…` : words;
  lastId += 1;
  set([...toasts.filter((toast) => toast.text !== text), { id: lastId, text, tone }].slice(-3));
}

export const removeToast = (id: number): void => set(toasts.filter((toast) => toast.id !== id));
export const readToasts = (): readonly Toast[] => toasts;
export function onToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
