import { isId, routes } from '@pilothouse/contract';
import { readProblem } from '../refusal.ts';
import type { ConnectionState, StreamEvent, StreamOptions } from '../stream.ts';
import type { Locks } from '../tab-lock.ts';
import { unlessAborted } from '../unless-aborted.ts';
import { createLine, type Line } from './line.ts';
import type { Proof, Refusal, SharedWorkerLike, Wanted } from './messages.ts';

type Options = {
  baseUrl: string;
  /** Whose streams these are now. */
  login: () => string;
  /** What lets a request in for that login; `refused` is what the server no longer takes. */
  prove: (refused: string | undefined) => Promise<Proof>;
  /** Nothing, where there is no such worker. */
  openWorker?: () => SharedWorkerLike | undefined;
  locks?: Locks;
  joinMs?: number;
  silenceMs?: number;
};
type Following = Pick<StreamOptions, 'signal' | 'onConnection'> & {
  kinds: ReadonlySet<string>;
  /** The same stream over a connection of its own, from a cursor on. */
  alone: (cursor: string | undefined) => AsyncIterable<StreamEvent>;
};

/** Streams over the one connection that all tabs of this browser have; over their own, where that cannot be. */
export function createSharedStreams({
  baseUrl,
  login,
  prove,
  openWorker = findWorker,
  locks,
  joinMs = 10_000,
  silenceMs = 40_000,
}: Options) {
  let joined: Promise<Line | undefined> | undefined;
  const join = (): Promise<Line | undefined> => {
    // Never with the login of somebody else who came after.
    const proveFor = async (asked: string, refused: string | undefined) =>
      asked === login() ? prove(refused) : 'none';
    const onLost = () => {
      joined = undefined;
    };
    joined ??= createLine({ openWorker, locks, joinMs, silenceMs, prove: proveFor, onLost });
    return joined;
  };

  return {
    async *follow(
      wanted: Pick<Wanted, 'kind' | 'id' | 'cursor'>,
      { signal, onConnection, kinds, alone }: Following,
    ): AsyncGenerator<StreamEvent, void, undefined> {
      let { cursor } = wanted;
      let state: ConnectionState | undefined;
      const announce = (next: ConnectionState) => {
        if (next !== state) onConnection?.(next);
        state = next;
      };
      // What the server would not even read must not spoil it for the others.
      if (!canBeShared(wanted)) return yield* alone(cursor);
      for (;;) {
        signal?.throwIfAborted();
        const line = await unlessAborted(join(), signal);
        if (!line) return yield* alone(cursor);
        const inbox = line.follow({ ...wanted, cursor, baseUrl, login: login() });
        try {
          for (;;) {
            const message = await unlessAborted(inbox.next(), signal);
            if (message.type === 'behind') break;
            if (message.type === 'state') announce(message.state);
            else if (message.type === 'refused') {
              // Also the answer of a server that knows nothing of bundles.
              if (message.refusal.problem?.code === 'not_found') return yield* alone(cursor);
              throw toError(message.refusal);
            } else {
              const { event } = message;
              cursor = message.cursor ?? cursor;
              if (kinds.has(event.type)) yield event;
              if (event.type === 'end' || event.type === 'reset') return;
              inbox.taken(event.type === 'frame');
            }
          }
        } finally {
          inbox.close();
        }
      }
    },
  };
}

function canBeShared({ kind, id, cursor }: Pick<Wanted, 'kind' | 'id' | 'cursor'>): boolean {
  const stream = cursor === undefined ? `${kind}:${id}` : `${kind}:${id}@${cursor}`;
  return isId(id) && routes.followStreams.query.safeParse({ stream: [stream] }).success;
}

const toError = ({ problem, message, retryAfterSecs }: Refusal) =>
  readProblem(problem, retryAfterSecs) ?? new TypeError(message);

type Browser = {
  SharedWorker?: new (script: URL, options: { type: 'module'; name: string }) => SharedWorkerLike;
};

function findWorker(): SharedWorkerLike | undefined {
  // Absent in programs, and unknown to the types that the SDK is compiled with.
  const { SharedWorker } = globalThis as Browser;
  if (!SharedWorker) return undefined;
  return new SharedWorker(new URL('./streams.worker.ts', import.meta.url), {
    type: 'module',
    // With a number, to be raised when what is said changes: a worker outlives the release that started it.
    name: 'pilothouse streams 1',
  });
}
