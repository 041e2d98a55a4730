// Follows what waits for the person: how many tasks, and in which version the list of them is.

import type { Client, ConnectionState } from '@pilothouse/sdk';

type InboxEvent = ReturnType<Client['followInbox']> extends AsyncIterable<infer Event> ? Event : never;
type Options = {
  follow: (
    cursor: string | undefined,
    options: { signal: AbortSignal; onConnection: (state: ConnectionState) => void },
  ) => AsyncIterable<InboxEvent>;
  /** A stream that is not there for this long counts as lost. */
  graceMs?: number;
  /** After a refusal it is tried again after this time. */
  retryMs?: number;
};
export type FeedState = {
  /** `connecting`: nothing is known yet, or for a moment. `lost`: the list has to be polled. */
  status: 'connecting' | 'live' | 'lost';
  /** The last that was told; undefined before. */
  count: number | undefined;
  version: string | undefined;
};

const unknown: FeedState = { status: 'connecting', count: undefined, version: undefined };

export function createInboxFeed({ follow, graceMs = 5000, retryMs = 30_000 }: Options) {
  let state = unknown;
  let lastUser = '';
  let grace: ReturnType<typeof setTimeout> | undefined;
  const listeners = new Set<() => void>();
  const set = (change: Partial<FeedState>) => {
    state = { ...state, ...change };
    for (const listener of listeners) listener();
  };
  const live = (change: Partial<FeedState> = {}) => {
    clearTimeout(grace);
    set({ ...change, status: 'live' });
  };
  const loseSoon = () => {
    clearTimeout(grace);
    grace = setTimeout(() => set({ status: 'lost' }), graceMs);
  };

  /** Returns when the stream is over; throws if it is refused. */
  async function followOnce(signal: AbortSignal): Promise<void> {
    const onConnection = (connection: ConnectionState) => {
      if (signal.aborted) return;
      // From its cursor on, a stream says nothing until there is a change.
      if (connection === 'reconnecting') loseSoon();
      else if (state.version !== undefined) live();
    };
    for await (const event of follow(state.version, { signal, onConnection })) {
      if (signal.aborted) return;
      if (event.type === 'inbox') live({ count: event.count, version: event.version });
      // The next one begins with the present state.
      else set({ version: undefined });
    }
  }
  async function run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const hadCursor = state.version !== undefined;
      const error = await followOnce(signal).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (signal.aborted) return;
      if (error) console.warn('The inbox cannot be followed.', error);
      // After a reset of its cursor it begins again at once. One that ends for another reason must not be asked without end.
      const isReset = hadCursor && state.version === undefined;
      if (isReset && !error) continue;
      clearTimeout(grace);
      set({ status: 'lost' });
      await pause(retryMs, signal);
    }
  }

  return {
    read: () => state,
    onChange(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** Whether a list of this version needs no reading. */
    isCurrent: (version: string | undefined) =>
      state.status === 'live' && version !== undefined && version === state.version,
    /** There is no stream here: the list has to be polled. */
    lose: () => set({ status: 'lost' }),
    /** Follows for this user, none for the built-in one, until the returned function is called. */
    start(user = ''): () => void {
      const stop = new AbortController();
      // Of another user, nothing is kept. Without a login, what is on the page stays as it is.
      if (user !== '' && user !== lastUser) state = unknown;
      lastUser = user || lastUser;
      set({ status: 'connecting' });
      loseSoon();
      void run(stop.signal);
      return () => {
        stop.abort();
        clearTimeout(grace);
        set({ status: 'connecting' });
      };
    },
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
