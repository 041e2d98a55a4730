// Reads of one caller take turns: hundreds at once would take every connection to the database.

import type { ServerResponse } from 'node:http';
import { AppError } from '@pilothouse/contract';

/** How many reads of one caller a server makes at the same time, and how long a further one waits for its turn. */
type Options = { atOnce?: number; waitMs?: number };
type Queue = { running: number; waiting: Set<() => void> };

const retryAfterSecs = 2;

/** Only reads: inputs of a person are ordered by their numbers. */
export function createReadsInTurn({ atOnce = 8, waitMs = 10_000 }: Options = {}) {
  const queues = new Map<string, Queue>();

  /** Rejects when the time is over, or when the peer has left. */
  function turnIn({ waiting }: Queue, response: ServerResponse): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const give = () => leave(resolve);
    const refuse = () => leave(() => reject(tooMany()));
    const timer = setTimeout(refuse, waitMs);
    response.once('close', refuse);
    waiting.add(give);
    function leave(settle: () => void): void {
      clearTimeout(timer);
      response.off('close', refuse);
      waiting.delete(give);
      settle();
    }
    return promise;
  }

  return {
    async run<T>(caller: string, response: ServerResponse, read: () => Promise<T> | T): Promise<T> {
      const queue = queues.get(caller) ?? { running: 0, waiting: new Set() };
      queues.set(caller, queue);
      if (queue.running < atOnce) queue.running += 1;
      else await turnIn(queue, response);
      try {
        return await read();
      } finally {
        const [next] = queue.waiting;
        // The turn goes to the next read; only the last one gives it back.
        if (next) next();
        else queue.running -= 1;
        if (queue.running === 0) queues.delete(caller);
      }
    },
  };
}

const tooMany = () =>
  new AppError('overloaded', {
    detail: 'Too many reads of yours are under way at once. Wait for some of them, and try again shortly.',
    retryAfterSecs,
  });
