// Waits for the turn of a session while there are too few browsers: a person here, a task as a row.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus } from '@pilothouse/bus';
import type { Log } from '@pilothouse/process';
import type { Store } from '@pilothouse/store';
import { createBrowserQueue } from './browser-queue.ts';
import type { LaunchOptions } from './launch-options.ts';
import { createRoomMaker } from './make-room.ts';
import { createParker } from './park.ts';
import { createTaskWait } from './task-wait.ts';

type Options = { store: Store; bus: Bus; log: Log; onTaskWaits: () => void };
type Search = {
  session: LaunchOptions;
  isPerson?: boolean;
  executionId?: string;
  since: Date | null;
  gone: number | undefined;
  signal: AbortSignal;
};

const pauseMs = 250;

export function createTurnWait({ store, bus, log, onTaskWaits }: Options) {
  const makeRoom = createRoomMaker({ store, parker: createParker({ bus, store, log }), log });
  const queue = createBrowserQueue({ store, makeRoom, log });
  const waitAsRow = createTaskWait({ store, onTaskWaits });

  /** Throws for a task, unless it is to look again soon for a host that did not answer, which only this search knows of. */
  return async function waitForTurn(search: Search, { isSoon }: { isSoon: boolean }): Promise<void> {
    const { session, isPerson = false, executionId, since, signal } = search;
    if (executionId === undefined) await queue.wait(session.id, { isPerson, since, signal });
    else if (isSoon) await sleep(pauseMs, undefined, { signal });
    else await waitAsRow(search);
  };
}
