// Watches the tasks at work in this agent: aborts those that their execution no longer holds. One statement asks for all of
// them.

import type { Store } from '@pilothouse/store';
import { createWatchLoop } from '../browsers/watch-loop.ts';
import { TaskNotHeld } from './turn.ts';

type Options = { store: Store; everyMs?: number };
/** With `isIdle`, a takeover that is only requested aborts the task too. */
type WatchOptions = { id: string; sessionId: string; executionId: string; isIdle: boolean };
type Watched = WatchOptions & { gone: AbortController };

export function createTaskWatch({ store, everyMs = 500 }: Options) {
  const loop = createWatchLoop<Watched>({
    everyMs,
    async look(asked) {
      const held = await store.tasks.heldOf(
        asked.map(({ id, executionId, isIdle }) => ({ id, executionId, unlessWanted: isIdle })),
      );
      for (const [i, { gone }] of asked.entries()) if (!held[i]) gone.abort(new TaskNotHeld());
    },
  });

  return {
    /**
     * Aborts when this execution no longer holds its task: it was cancelled, a person took over, or another agent claimed
     * it. With `isIdle`, also when a person asks to take over.
     */
    watchTask(options: WatchOptions) {
      const one: Watched = { ...options, gone: new AbortController() };
      loop.add(one);
      return { signal: one.gone.signal, close: () => loop.remove(one) };
    },

    /** A person changed something in this session: looks at once where a task of it is at work here. */
    lookAtTasks(sessionId: string): void {
      if (Iterator.from(loop.all()).some((one) => one.sessionId === sessionId)) loop.lookNow();
    },
  };
}
