// The streams of one tab over the connection that all tabs share; over its own, if that is not possible.

import { isId, ownInbox, readBundledStream } from '@pilothouse/contract/wire';
import { readProblem } from '../common/refusal.ts';
import type { Locks } from '../common/tab-lock.ts';
import { unlessAborted } from '../common/unless-aborted.ts';
import type { ConnectionState, StreamEvent, StreamOptions } from '../streams/stream.ts';
import type { Proof, Refusal, SharedWorkerLike, StreamRequest } from './messages.ts';
import { createLine, type Line } from './worker-port.ts';

type Options = {
  baseUrl: string;
  /** The present login, by name. */
  login: () => string;
  /** Authenticates a request for that login; `refused` is what the server no longer accepts. */
  prove: (refused: string | undefined) => Promise<Proof>;
  /** Undefined if there is no such worker. */
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
    // Never with the login of another user who logged in after.
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
      wanted: Pick<StreamRequest, 'kind' | 'id' | 'cursor'>,
      { signal, onConnection, kinds, alone }: Following,
    ): AsyncGenerator<StreamEvent, void, undefined> {
      let { cursor } = wanted;
      let state: ConnectionState | undefined;
      const announce = (next: ConnectionState) => {
        if (next !== state) onConnection?.(next);
        state = next;
      };
      // A request that the server would reject as malformed must not fail the streams of other tabs.
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

function canBeShared({ kind, id, cursor }: Pick<StreamRequest, 'kind' | 'id' | 'cursor'>): boolean {
  const isOne = kind === 'inbox' ? id === ownInbox : isId(id);
  return isOne && readBundledStream(cursor === undefined ? `${kind}:${id}` : `${kind}:${id}@${cursor}`) !== undefined;
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
    name: 'pilothouse streams 2',
  });
}
