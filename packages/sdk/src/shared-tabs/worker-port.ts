import type { Locks } from '../tab-lock.ts';
import type { FromTab, FromWorker, Proof, SharedWorkerLike, ToFollower, Wanted } from './messages.ts';

/** What a tab has to do with the worker. */
export type Line = { follow(wanted: Wanted): Inbox };

/** What comes of one stream, until it is closed. */
export type Inbox = {
  next(): Promise<ToFollower>;
  /** An event was used: another may come. */
  taken(isFrame: boolean): void;
  close(): void;
};

type Options = {
  openWorker: () => SharedWorkerLike | undefined;
  locks: Locks | undefined;
  prove: (login: string, refused: string | undefined) => Promise<Proof>;
  joinMs: number;
  silenceMs: number;
  /** The worker says nothing any more: join anew. */
  onLost: () => void;
};

/** Joins the worker; nothing, where there is none or where it does not answer. */
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
  // It runs our own script, which says nothing else.
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
    // The script is of another origin, or the page forbids workers: there are other ways to follow.
    return undefined;
  }
}

/** A lock of its own, for as long as this tab lives: whoever waits for it is told of its end. Held before it is named. */
function holdLock(locks: Locks): Promise<string | undefined> {
  const name = `pilothouse tab ${crypto.randomUUID()}`;
  return new Promise((resolve) => {
    const hold = () => {
      resolve(name);
      return new Promise(() => {});
    };
    // Where locks are forbidden, a tab that is gone is noticed by its silence.
    locks.request(name, {}, hold).catch(() => resolve(undefined));
  });
}
