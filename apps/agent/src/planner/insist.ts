// Writes an answer that was paid for, also where the database is away for a while. A write that was done already ends by itself:
// the ledger refuses it, and the rows say what was decided.

import { setTimeout as sleep } from 'node:timers/promises';
import { TaskNotHeld } from '../ledger/turn.ts';

const pauseMs = 1000;
/** An agent that cannot write for longer has lost its tasks. */
const maxTries = 60;

export async function insist(write: () => Promise<unknown>, signal: AbortSignal, ms = pauseMs): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await write();
      return;
    } catch (error) {
      if (error instanceof TaskNotHeld || signal.aborted || tries >= maxTries) throw error;
      await sleep(ms, undefined, { signal }).catch(() => {
        throw error;
      });
    }
  }
}
