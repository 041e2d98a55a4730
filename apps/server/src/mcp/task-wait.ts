// Waits until a task ends or needs a person, by the events of its session. Ends early when its client leaves, its key is revoked
// or the server stops; then nothing waits on.

import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, isTerminal, type TaskStatus } from '@pilothouse/contract';
import type { StoredEvent } from '@pilothouse/store';
import { readCursor } from '../live/cursor.ts';
import type { EventHub } from '../live/event-hub.ts';

export type WaitParts = {
  events: Pick<EventHub, 'follow'>;
  readStatus(taskId: string): Promise<TaskStatus>;
  /** Counts the call among the open streams of its caller, and calls when their right ends. */
  holdOpen(onRevoked: () => void): { release(): void };
  onProgress(status: Pick<TaskStatus, 'current_step' | 'total_steps'>): void;
  signal: AbortSignal;
};

/** A hub that could not deliver every event closes its listener: then the task is looked at again after this time. */
const againMs = 200;

const isSettled = (status: TaskStatus['status']) =>
  isTerminal(status) || status === 'awaiting_user' || status === 'takeover';

export async function waitForTask(parts: WaitParts, taskId: string, waitMs: number): Promise<TaskStatus> {
  const until = performance.now() + waitMs;
  let status = await parts.readStatus(taskId);
  if (waitMs <= 0 || isSettled(status.status)) return status;
  let isRevoked = false;
  const revoked = new AbortController();
  const open = parts.holdOpen(() => {
    isRevoked = true;
    revoked.abort();
  });
  try {
    while (!isSettled(status.status) && !parts.signal.aborted && performance.now() < until) {
      const begun = performance.now();
      const over = AbortSignal.any([parts.signal, revoked.signal, AbortSignal.timeout(Math.ceil(until - begun))]);
      await settled(parts, status, over);
      if (isRevoked) throw new AppError('token_invalid');
      status = await parts.readStatus(taskId);
      // Rejects only when the signal aborts, which the loop looks at.
      if (!isSettled(status.status) && performance.now() - begun < againMs)
        await sleep(againMs, undefined, { signal: over }).catch(() => undefined);
    }
    return status;
  } finally {
    open.release();
  }
}

/** Resolves when an event says that the task has settled, and when the signal aborts. */
function settled({ events, onProgress }: WaitParts, status: TaskStatus, over: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const onEnds: (() => void)[] = [];
  let isEnded = false;
  const end = () => {
    if (isEnded) return;
    isEnded = true;
    over.removeEventListener('abort', end);
    for (const onEnd of onEnds) onEnd();
    resolve();
  };
  over.addEventListener('abort', end);
  if (over.aborted) end();
  const onEvents = (added: StoredEvent[]) => {
    for (const { task_id, kind, data } of added) {
      if (task_id !== status.task_id || kind !== 'status' || isEnded) continue;
      const progress = data.status as TaskStatus;
      if (isSettled(progress.status)) end();
      else onProgress(progress);
    }
  };
  const lifetime = { isEnded: () => isEnded, onEnd: (onEnd: () => void) => void onEnds.push(onEnd), close: end };
  // A failure to follow is no failure of the task: it is looked at again.
  events.follow(status.session_id, readCursor(status.cursor) ?? 0, onEvents, lifetime).catch(end);
  return promise;
}
