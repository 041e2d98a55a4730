// Whether the server is reached, as the streams that every page follows tell it. Kept outside React.

import type { ConnectionState } from '@pilothouse/sdk';

export function createConnection() {
  let isLost = false;
  const listeners = new Set<() => void>();
  return {
    isLost: () => isLost,
    tell(state: ConnectionState): void {
      if (isLost === (state === 'reconnecting')) return;
      isLost = !isLost;
      for (const listener of listeners) listener();
    },
    onChange(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

export const connection = createConnection();
