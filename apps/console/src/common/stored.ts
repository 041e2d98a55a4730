// A value that this browser keeps for the person, and that every part of the page hears of.

export type Stored<Value> = {
  read(): Value;
  write(value: Value): void;
  /** Calls the listener after each change, in this tab or another. Returns a function that removes it. */
  onChange(listener: () => void): () => void;
};

/** `parse` turns what was kept, or null, into a value. A browser that keeps nothing has the value of null. */
export function createStored<Value extends string>(key: string, parse: (kept: string | null) => Value): Stored<Value> {
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  let unkept: Value | undefined;
  globalThis.addEventListener?.('storage', (event) => {
    if (event.key === key || event.key === null) tell();
  });
  return {
    read() {
      if (unkept !== undefined) return unkept;
      try {
        return parse(localStorage.getItem(key));
      } catch {
        return parse(null);
      }
    },
    write(value) {
      try {
        localStorage.setItem(key, value);
      } catch {
        // The browser forbids it: kept until the page is left.
        unkept = value;
      }
      tell();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
