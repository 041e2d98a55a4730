export type Tabs = {
  /** Says to the other tabs that something has changed in the storage. */
  tell(): void;
  leave(): void;
};

type StorageEvents = {
  addEventListener?(type: 'storage', listener: (event: { key: string | null }) => void): void;
  removeEventListener?(type: 'storage', listener: (event: { key: string | null }) => void): void;
};

/**
 * Hears of changes that other tabs made. Both ways are used: a message may overtake the change that it speaks of, and
 * the storage event, which does not, exists for the browser's own storage only.
 */
export function joinTabs(key: string, onChange: () => void): Tabs {
  // Typed here, because the SDK is compiled for programs too, which have no window.
  const events = globalThis as StorageEvents;
  const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(key);
  const onStorage = (event: { key: string | null }) => {
    // Without a key the whole storage was emptied.
    if (event.key === key || event.key === null) onChange();
  };
  events.addEventListener?.('storage', onStorage);
  if (channel) {
    channel.onmessage = onChange;
    // In Node an open channel would keep a finished program running.
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
