// A task that has to wait for a browser leaves its agent: its wait is a row, which makes the task due when its turn comes.

import type { Store } from '@pilothouse/store';
import type { LaunchOptions } from './launch-options.ts';

type Options = { store: Store; onTaskWaits: () => void };
type Search = {
  session: LaunchOptions;
  isPerson?: boolean;
  executionId?: string;
  since: Date | null;
  gone: number | undefined;
};

/** It is not the turn of the task's session. The queue in the database has it, and makes the task due. */
export class NoBrowserYet extends Error {
  override name = 'NoBrowserYet';
}

export function createTaskWait({ store, onTaskWaits }: Options) {
  /** The next run must not look for a browser that this one found gone. Under the new epoch its host is told to close it. */
  async function forgetLost(sessionId: string, epoch: number): Promise<void> {
    await store.change(sessionId, async (tx) => {
      const at = await store.browsers.at(tx, sessionId);
      if (at?.epoch !== epoch) return;
      const fence = await store.browsers.fence(tx, sessionId);
      if (fence) await store.browsers.release(tx, sessionId, { hostId: fence.host_id, epoch: fence.epoch });
    });
  }

  /** Always throws. */
  return async function waitAsRow({ session, isPerson = false, executionId, since, gone }: Search): Promise<never> {
    if (gone !== undefined) await forgetLost(session.id, gone);
    await store.browserTurns.join(session.id, { isPerson, executionId, since });
    onTaskWaits();
    throw new NoBrowserYet();
  };
}
