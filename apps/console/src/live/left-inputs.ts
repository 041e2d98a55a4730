// The inputs that were not answered when the page went away. The page that is loaded in its place sends those that did not arrive:
// a request that outlasts its page may come too late to be heard.

import type { PointerAction } from './api-types.ts';
import type { SentAction } from './input-queue.ts';

type Storage = Pick<globalThis.Storage, 'getItem' | 'setItem' | 'removeItem'>;

export type LeftInputs = {
  keep(actions: SentAction[]): void;
  /** Forgets them, and returns those after this number, which the browser named as the last that came. */
  take(takeoverId: string, epoch: number, last: number): PointerAction[];
};

export function createLeftInputs(sessionId: string, storage: Storage | undefined): LeftInputs {
  const key = `pilothouse.left.${sessionId}`;
  return {
    keep(actions) {
      // Files are too large to be kept; the page asks for them still.
      if (actions.length === 0 || actions.some(({ action }) => action === 'choose_files')) return;
      try {
        storage?.setItem(key, JSON.stringify(actions));
      } catch {
        // The browser keeps nothing: then only the request that outlasts the page is left.
      }
    },
    take(takeoverId, epoch, last) {
      try {
        const stored = storage?.getItem(key);
        storage?.removeItem(key);
        if (!stored) return [];
        const left = JSON.parse(stored) as SentAction[];
        return (
          left
            // A browser that was opened again shows another page than the one that they were meant for.
            .filter((action) => action.takeover_id === takeoverId && action.epoch === epoch)
            .filter(({ input_seq }) => input_seq !== undefined && input_seq > last)
            .map(({ takeover_id: _, client_id: __, epoch: ___, input_seq: ____, ...action }): PointerAction => action)
        );
      } catch {
        return [];
      }
    },
  };
}
