/// <reference lib="dom" />
// Runs in the page: reads and restores the session storage of one origin. Each function is sent by its text, and must not
// use anything of this file outside itself.

/** Null in place of the items where they are too much. */
export type SessionItems = { origin: string; items: Record<string, string> | null; chars: number };

export function readSessionStorage(maxChars: number): SessionItems {
  const items: Record<string, string> = {};
  let chars = 0;
  for (const [name, value] of Object.entries<string>(sessionStorage)) {
    chars += name.length + value.length + 1;
    if (chars > maxChars) return { origin: location.origin, items: null, chars };
    items[name] = value;
  }
  return { origin: location.origin, items, chars };
}

/** Only into an empty one: a page that was loaded twice on the way may have changed it by then. */
export function seedSessionStorage(storage: Record<string, Record<string, string>>): void {
  const items = storage[location.origin];
  try {
    if (items && sessionStorage.length === 0)
      for (const [name, value] of Object.entries(items)) sessionStorage.setItem(name, value);
  } catch {
    // A sandboxed frame has no storage.
  }
}
