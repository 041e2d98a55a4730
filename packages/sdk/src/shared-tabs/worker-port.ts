// The tab's side of the shared worker.

import type { Locks } from '../common/tab-lock.ts';
import type { FromTab, FromWorker, Proof, SharedWorkerLike, StreamRequest, ToFollower } from './messages.ts';

/** The worker, for a tab. */
export type Line = { follow(wanted: StreamRequest): Inbox };

/** The messages of one stream, until it is closed. */
export type Inbox = {
  next(): Promise<ToFollower>;
  /** The tab has used an event: the worker may send another. */
  taken(isFrame: boolean): void;
  close(): void;
};

type Options = {
  openWorker: () => SharedWorkerLike | undefined;
  locks: Locks | undefined;
  prove: (login: string, refused: string | undefined) => Promise<Proof>;
  joinMs: number;
  silenceMs: number;
  /** The worker no longer answers: join again. */
  onLost: () => void;
};

/** Joins the worker; undefined if there is none, or if it does not answer. */
export async function createLine({
  openWorker,
  locks,
  prove,
  joinMs,
  silenceMs,
  onLost,
}: Options): Promise<Line | undefined> {
  const worker = openQuietly(openWorker);
  if (!worker) return undefined;
  const post = (message: FromTab) => worker.port.postMessage(message);
  const inboxes = new Map<number, (message: ToFollower) => void>();
  const joining = Promise.withResolvers<boolean>();
  let heardAt = Date.now();
  let count = 0;

  const take = (message: FromWorker) => {
    heardAt = Date.now();
    if (message.type === 'joined') joining.resolve(true);
    else if (message.type === 'ping') post({ type: 'here' });
    else if (message.type === 'prove') {
      const { ask, login, refused } = message;
      void prove(login, refused).then((proof) => post({ type: 'proof', ask, proof }));
    } else inboxes.get(message.of)?.(message);
  };
  // It runs the SDK's own script, which sends nothing else.
  worker.port.onmessage = ({ data }) => take(data as FromWorker);
  worker.onerror = () => joining.resolve(false);
  const late = setTimeout(() => joining.resolve(false), joinMs);
  post({ type: 'join', lock: locks && (await holdLock(locks)) });
  const hasJoined = await joining.promise;
  clearTimeout(late);
  if (!hasJoined) return undefined;

  let watching: ReturnType<typeof setInterval> | undefined;
  const watch = () => {
    if (Date.now() - heardAt < silenceMs) return;
    clearInterval(watching);
    onLost();
    for (const tell of inboxes.values()) tell({ type: 'behind' });
  };

  return {
    follow(wanted) {
      count += 1;
      const of = count;
      const queue: ToFollower[] = [];
      let waiting: PromiseWithResolvers<ToFollower> | undefined;
      inboxes.set(of, (message) => {
        if (!waiting) return void queue.push(message);
        waiting.resolve(message);
        waiting = undefined;
      });
      if (inboxes.size === 1) {
        heardAt = Date.now();
        clearInterval(watching);
        watching = setInterval(watch, silenceMs / 4);
      }
      post({ type: 'follow', of, wanted });
      return {
        next() {
          const message = queue.shift();
          if (message) return Promise.resolve(message);
          waiting = Promise.withResolvers();
          return waiting.promise;
        },
        taken: (isFrame) => post({ type: 'taken', of, isFrame }),
        close() {
          inboxes.delete(of);
          if (inboxes.size === 0) clearInterval(watching);
          post({ type: 'leave', of });
        },
      };
    },
  };
}

function openQuietly(openWorker: Options['openWorker']): SharedWorkerLike | undefined {
  try {
    return openWorker();
  } catch {
    // The script is of another origin, or the page forbids workers: streams are then followed over connections of their
    // own.
    return undefined;
  }
}

/**
 * A lock that this tab holds as long as it lives, so that the worker notices its end. It is held before its name is
 * sent.
 */
function holdLock(locks: Locks): Promise<string | undefined> {
  const name = `pilothouse tab ${crypto.randomUUID()}`;
  return new Promise((resolve) => {
    const hold = () => {
      resolve(name);
      return new Promise(() => {});
    };
    // If locks are forbidden, the worker notices by missing answers that a tab is gone.
    locks.request(name, {}, hold).catch(() => resolve(undefined));
  });
}
