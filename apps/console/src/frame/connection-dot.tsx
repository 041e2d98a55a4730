// Says that the server is not reached, without alarm: what is shown stays, and goes on by itself.

import { useEffect, useSyncExternalStore } from 'react';
import { connection } from '../api/connection.ts';
import { showToast } from '../ui/toasts.ts';

const useIsLost = () => useSyncExternalStore(connection.onChange, connection.isLost);

/** In the top bar. The session page says it on its picture. */
export function ConnectionDot() {
  const isLost = useIsLost();
  return (
    <span role="status" className="shrink-0">
      {isLost && (
        <span data-testid="connection" className="inline-flex items-center gap-2 text-12 text-ink-2">
          <span aria-hidden className="size-2 rounded-full bg-ink-3 ring-3 ring-ink-3/26" />
          Reconnecting
        </span>
      )}
    </span>
  );
}

const longMs = 30_000;

/** One message for each time that the server is away for long. */
export function useLostToast(): void {
  const isLost = useIsLost();
  useEffect(() => {
    if (!isLost) return;
    const timer = setTimeout(
      () => showToast('There is no connection at present. What you see stays, and goes on by itself.'),
      longMs,
    );
    return () => clearTimeout(timer);
  }, [isLost]);
}
