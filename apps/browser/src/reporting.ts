// What a host has to tell agents about its sessions. Nothing here may hold up the session it speaks of.

import { setTimeout as sleep } from 'node:timers/promises';
import { type Bus, checkpoint, type Report, report, type SavedState } from '@pilothouse/bus';
import type { Log } from '@pilothouse/process';

const ASK_MS = 3000;
const REPORT_TRIES = 4;
const FIRST_WAIT_MS = 200;
const MAX_WAIT_MS = 5000;

type To = { host_id: string; session_id: string };

/** Tells it a few times, then leaves it: the next one to use the session finds out by itself. */
export async function sendReport(bus: Bus, to: To, told: Report, { log, signal }: { log: Log; signal: AbortSignal }) {
  for (let attempt = 0; attempt < REPORT_TRIES && !signal.aborted; attempt += 1) {
    if (attempt > 0) await sleep(FIRST_WAIT_MS * 2 ** attempt, undefined, { signal }).catch(() => undefined);
    const result = await bus.request(report, to, told, { timeoutMs: ASK_MS, signal });
    if (result.ok) return;
    log.warn({ session_id: to.session_id, type: told.type, reason: result.reason }, 'a report was not heard');
    // Said twice it would be logged twice; but that a browser is gone can be true only once.
    if (result.mayHaveActed && told.type !== 'crashed') return;
  }
}

type Options = { bus: Bus; to: To; epoch: () => number; isHeld: () => boolean; log: Log };

/** Hands over states for keeping: one at a time, only the newest of those that wait, again and again until it is kept. */
export function createCheckpoints({ bus, to, epoch, isHeld, log }: Options) {
  const closed = new AbortController();
  const { signal } = closed;
  let next: SavedState | undefined;
  let isSending = false;

  async function send(): Promise<void> {
    isSending = true;
    let waitMs = FIRST_WAIT_MS;
    // Without a lease somebody else may have the session; then nobody wants it.
    while (next && isHeld() && !signal.aborted) {
      const state = next;
      next = undefined;
      const message = { session_id: to.session_id, epoch: epoch(), state };
      const result = await bus.request(checkpoint, to, message, { timeoutMs: ASK_MS, signal });
      if (result.ok) {
        waitMs = FIRST_WAIT_MS;
        continue;
      }
      log.debug({ session_id: to.session_id, reason: result.reason }, 'a checkpoint was not kept yet');
      if (result.reason === 'too_large' || result.reason === 'refused') continue;
      next ??= state;
      await sleep(waitMs, undefined, { signal }).catch(() => undefined);
      waitMs = Math.min(MAX_WAIT_MS, waitMs * 2);
    }
    isSending = false;
  }
  let sending: Promise<void> = Promise.resolve();

  return {
    put(state: SavedState): void {
      next = state;
      if (!isSending) sending = send();
    },
    /** Resolves when none waits to be handed over any more. */
    rest: (): Promise<void> => sending,
    close(): void {
      closed.abort();
    },
  };
}
