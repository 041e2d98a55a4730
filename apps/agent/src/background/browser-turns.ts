// Tasks that wait for a browser: makes them due when it is their turn, and closes spare browsers for the others. The first
// agent does it for all, so the cost does not grow with their number.

import type { Bus } from '@pilothouse/bus';
import type { Log } from '@pilothouse/process';
import type { Store } from '@pilothouse/store';
import { createRoomMaker } from '../browsers/make-room.ts';
import { createParker } from '../browsers/park.ts';
import { always, type IsNeeded, startRepeating } from '../common/repeat.ts';

type Options = {
  store: Store;
  bus: Bus;
  agentId: string;
  log: Log;
  onDue: () => void;
  isNeeded?: IsNeeded;
  everyMs?: number;
};

/** While no task waits, only one look in this many asks the database. */
const idleLooks = 4;

export function startBrowserTurns({ store, bus, agentId, log, onDue, isNeeded = always, everyMs = 250 }: Options) {
  const makeRoom = createRoomMaker({ store, parker: createParker({ bus, store, log }), log });
  let skipped = 0;
  let isBusy = true;

  async function look(): Promise<void> {
    skipped += 1;
    if (!isBusy && skipped < idleLooks) return;
    skipped = 0;
    if (!isBusy && !(await isNeeded())) return;
    const { isAny, isFirst } = await store.browserTurns.taskWaits(agentId);
    isBusy = isAny && isFirst;
    if (!isBusy) return;
    const { woken, waiting } = await store.browserTurns.wakeDue();
    if (woken > 0) onDue();
    await makeRoom(waiting);
  }

  const rounds = startRepeating(look, everyMs, (error) =>
    log.warn({ err: error }, 'could not look who waits for a browser'),
  );
  return {
    /** A task of this agent has begun to wait. */
    look(): void {
      isBusy = true;
    },
    close: rounds.close,
  };
}
