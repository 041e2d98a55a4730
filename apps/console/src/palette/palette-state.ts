// Whether the command palette or the list of keys is open.

type Overlay = 'palette' | 'keys' | undefined;

let open: Overlay;
const listeners = new Set<() => void>();

function set(next: Overlay): void {
  open = next;
  for (const listener of listeners) listener();
}

export const openPalette = (): void => set('palette');
export const openKeys = (): void => set('keys');
export const closeOverlay = (): void => set(undefined);
export const readOverlay = (): Overlay => open;
export function onOverlay(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
