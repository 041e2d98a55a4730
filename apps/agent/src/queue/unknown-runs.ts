// Gives up runs that this agent has by the rows and does not know of: the answer to the claim that took them was lost.

import type { Log } from '@pilothouse/process';
import type { Store } from '@pilothouse/store';
import { startRepeating } from '../common/repeat.ts';

type Options = { store: Store; agentId: string; isKnown: (key: string) => boolean; log: Log; everyMs: number };

export function startUnknownRuns({ store, agentId, isKnown, log, everyMs }: Options) {
  /** Found once. A run that was claimed in this moment is known at the next look. */
  let unknown = new Set<string>();

  async function look(): Promise<void> {
    const held = await store.queue.heldBy(agentId);
    const strange = held.filter((one) => !isKnown(keyOf(one)));
    for (const one of strange.filter((given) => unknown.has(keyOf(given)))) {
      log.warn({ task_id: one.id }, 'had a task without knowing it, and gives it up');
      await store.queue.giveUp(one, agentId);
    }
    unknown = new Set(strange.map(keyOf));
  }

  return startRepeating(look, everyMs, (error) =>
    log.warn({ err: error }, 'could not check which tasks this agent has'),
  );
}

/** One run of one task. */
export const keyOf = ({ id, run }: { id: string; run: number }): string => `${id}:${run}`;
