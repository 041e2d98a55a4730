// The inputs that were not answered when the page went away. The page that is loaded in its place sends those that did not arrive:
// a request that outlasts its page may come too late to be heard.

import type { PointerAction } from './api-types.ts';
import type { SentAction } from './input-queue.ts';

type Storage = Pick<globalThis.Storage, 'getItem' | 'setItem' | 'removeItem'>;
type Left = { takeoverId: string; epoch: number; actions: SentAction[] };

export type LeftInputs = {
  keep(epoch: number, actions: SentAction[]): void;
  /** Forgets them, and returns those after this number, which the browser named as the last that came. */
  take(takeoverId: string, epoch: number, last: number): PointerAction[];
};

export function createLeftInputs(sessionId: string, storage: Storage | undefined): LeftInputs {
  const key = `pilothouse.left.${sessionId}`;
  return {
    keep(epoch, actions) {
      const [first] = actions;
      // Files are too large to be kept; the page asks for them still.
      if (!first || actions.some(({ action }) => action === 'choose_files')) return;
      try {
        storage?.setItem(key, JSON.stringify({ takeoverId: first.takeover_id, epoch, actions } satisfies Left));
      } catch {
        // The browser keeps nothing: then only the request that outlasts the page is left.
      }
    },
    take(takeoverId, epoch, last) {
      try {
        const stored = storage?.getItem(key);
        storage?.removeItem(key);
        if (!stored) return [];
        const left = JSON.parse(stored) as Left;
        // A browser that was opened again shows another page than the one that they were meant for.
        if (left.takeoverId !== takeoverId || left.epoch !== epoch) return [];
        return left.actions
          .filter(({ input_seq }) => input_seq !== undefined && input_seq > last)
          .map(({ takeover_id: _, client_id: __, input_seq: ___, ...action }): PointerAction => action);
      } catch {
        return [];
      }
    },
  };
}
