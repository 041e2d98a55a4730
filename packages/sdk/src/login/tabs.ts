// Tells the tabs that share a storage of changes in it.

export type Tabs = {
  /** Tells the other tabs that the storage has changed. */
  tell(): void;
  leave(): void;
};

type StorageEvents = {
  addEventListener?(type: 'storage', listener: (event: { key: string | null }) => void): void;
  removeEventListener?(type: 'storage', listener: (event: { key: string | null }) => void): void;
};

/**
 * Listens to changes by other tabs. It uses messages and storage events: a message may arrive before the change is
 * visible, and storage events, which do not, exist only for the browser's own storage.
 */
export function joinTabs(key: string, onChange: () => void): Tabs {
  // Typed here, because the SDK is also compiled for programs, which have no window.
  const events = globalThis as StorageEvents;
  const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(key);
  const onStorage = (event: { key: string | null }) => {
    // Without a key, the whole storage was cleared.
    if (event.key === key || event.key === null) onChange();
  };
  events.addEventListener?.('storage', onStorage);
  if (channel) {
    channel.onmessage = onChange;
    // In Node, an open channel would keep a finished program running.
    (channel as { unref?: () => void }).unref?.();
  }
  let hasLeft = false;
  return {
    tell() {
      if (!hasLeft) channel?.postMessage('changed');
    },
    leave() {
      hasLeft = true;
      events.removeEventListener?.('storage', onStorage);
      channel?.close();
    },
  };
}
