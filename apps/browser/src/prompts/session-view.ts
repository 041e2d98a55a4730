// The view of a session: its open pages, and what the page in front asks of the person who drives. A server asks for it
// and waits for the next change. Changes are put together, so that a page that changes without end costs little.

import { randomUUID } from 'node:crypto';
import type { SessionView } from '@pilothouse/bus';
import { type Deadline, pause } from '../common/deadline.ts';

/** The shortest time between two versions. */
const betweenMs = 100;
/** How many servers may wait at a time; others are answered at once. */
const maxWaiting = 64;

export type ViewParts = Pick<SessionView, 'epoch' | 'pages' | 'driver' | 'copied'>;

export type FollowedView = {
  now(): SessionView;
  /** The view when its version is not `known`, or when the deadline is over or aborted. */
  next(known: string | null, deadline: Deadline): Promise<SessionView>;
  /** Something in it may have changed. */
  changed(): void;
  /** Whether a server waits for the next version. */
  isFollowed(): boolean;
  close(): void;
};

/** `read` is first called when something has changed, or is asked for. */
export function createFollowedView(read: () => ViewParts): FollowedView {
  const browser = randomUUID();
  let number = 1;
  let last = '';
  let timer: NodeJS.Timeout | undefined;
  let changedAt = Number.NEGATIVE_INFINITY;
  let change = Promise.withResolvers<void>();
  let waiting = 0;

  function compare(): void {
    const next = JSON.stringify(read());
    if (next === last) return;
    last = next;
    number += 1;
    changedAt = performance.now();
    change.resolve();
    change = Promise.withResolvers<void>();
  }

  function changed(): void {
    timer ??= setTimeout(
      () => {
        timer = undefined;
        compare();
      },
      Math.max(0, changedAt + betweenMs - performance.now()),
    ).unref();
  }

  function now(): SessionView {
    compare();
    return { version: `${browser} ${number}`, ...read() };
  }

  return {
    now,
    async next(known, deadline) {
      if (known === null || known !== `${browser} ${number}` || waiting >= maxWaiting) return now();
      waiting += 1;
      await Promise.race([change.promise, pause(deadline.leftMs(), deadline)]);
      waiting -= 1;
      return now();
    },
    changed,
    isFollowed: () => waiting > 0,
    close: () => clearTimeout(timer),
  };
}
