// Sends the states of one session to agents, which store them. It never delays the session.

import { setTimeout as sleep } from 'node:timers/promises';
import { type Bus, checkpoint, type SavedState } from '@pilothouse/bus';
import type { Log } from '@pilothouse/process';
import type { SessionAddress } from './reports.ts';

const requestMs = 3000;
const firstWaitMs = 200;
const maxWaitMs = 5000;

export type CheckpointSender = {
  put(state: SavedState): void;
  /** Resolves when no state waits to be sent. */
  idle(): Promise<void>;
  close(): void;
};

type Options = { bus: Bus; to: SessionAddress; epoch: () => number; isHeld: () => boolean; log: Log };

/** One state at a time, only the newest of those that wait, and again until an agent has stored it. */
export function createCheckpointSender({ bus, to, epoch, isHeld, log }: Options): CheckpointSender {
  const closed = new AbortController();
  const { signal } = closed;
  let next: SavedState | undefined;
  let isSending = false;

  async function send(): Promise<void> {
    isSending = true;
    let waitMs = firstWaitMs;
    while (next && !signal.aborted) {
      // Without a lease another host may have the session: its state counts, and no agent would store this one.
      if (!isHeld()) {
        await sleep(firstWaitMs, undefined, { signal }).catch(() => undefined);
        continue;
      }
      const state = next;
      next = undefined;
      const message = { session_id: to.session_id, epoch: epoch(), state };
      const result = await bus.request(checkpoint, to, message, { timeoutMs: requestMs, signal });
      if (result.ok) {
        waitMs = firstWaitMs;
        continue;
      }
      log.debug({ session_id: to.session_id, reason: result.reason }, 'a checkpoint is not stored yet');
      if (result.reason === 'too_large' || result.reason === 'refused') continue;
      next ??= state;
      await sleep(waitMs, undefined, { signal }).catch(() => undefined);
      waitMs = Math.min(maxWaitMs, waitMs * 2);
    }
    isSending = false;
  }
  let sending: Promise<void> = Promise.resolve();

  return {
    put(state) {
      next = state;
      if (!isSending) sending = send();
    },
    idle: () => sending,
    close: () => closed.abort(),
  };
}
