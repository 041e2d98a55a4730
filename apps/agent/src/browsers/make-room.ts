// Closes browsers that their sessions can do without, while other sessions wait for one.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@pilothouse/process';
import type { HeldBrowser, Store } from '@pilothouse/store';
import type { Parker } from './park.ts';

type Options = { store: Store; parker: Parker; log: Log };

/** After this time it no longer waits for a host to close a browser, and closes another one elsewhere. */
const closeMs = 3000;

export function createRoomMaker({ store, parker, log }: Options) {
  let closing = 0;

  async function close(spare: HeldBrowser): Promise<void> {
    closing += 1;
    const late = sleep(closeMs, undefined, { ref: false });
    const closed = parker
      .parkSpare(spare)
      .catch((error) => log.warn({ err: error }, 'could not close a browser to make room'));
    await Promise.race([closed, late]);
    closing -= 1;
  }

  /** Closes one spare browser for each waiting session, as far as there are spare ones. */
  return async function makeRoom(waiting: number): Promise<void> {
    if (waiting <= closing) return;
    for (const spare of await store.browserTurns.spare(waiting - closing)) void close(spare);
  };
}
export type MakeRoom = ReturnType<typeof createRoomMaker>;
