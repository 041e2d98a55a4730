import { type Bus, eventWakeup } from '@pilothouse/bus';
import type { Log } from '@pilothouse/process';
import type { Store, StoredEvent } from '@pilothouse/store';

type Options = { store: Store; bus: Bus; log: Log };
type Listener = { seq: number; isCaughtUp: boolean; onEvents: (events: StoredEvent[]) => void };
type Stream = { sessionId: string; seq: number; listeners: Set<Listener>; pump(): void; close(): void };

/** A publisher that died between commit and publish costs at most this. */
const pollMs = 1000;
const pageSize = 500;

/** One subscription a session and server, many listeners; the numbers come from Postgres, the bus only says "look". */
export function createHub({ store, bus, log }: Options) {
  const streams = new Map<string, Stream>();

  function openStream(sessionId: string, seq: number): Stream {
    let isPumping = false;
    let isStale = false;
    const stream: Stream = { sessionId, seq, listeners: new Set(), pump, close };
    const wakeups = bus.subscribe(eventWakeup, { session_id: sessionId }, ({ seq: newest }) => {
      if (newest > stream.seq) pump();
    });

    async function readOn(): Promise<void> {
      for (;;) {
        isStale = false;
        const events = await store.events.after(sessionId, stream.seq, { limit: pageSize });
        stream.seq = events.at(-1)?.seq ?? stream.seq;
        for (const listener of stream.listeners) if (listener.isCaughtUp) deliver(listener, events);
        if (events.length < pageSize && !isStale) return;
      }
    }
    function pump(): void {
      isStale = true;
      if (isPumping) return;
      isPumping = true;
      readOn()
        // The next wake-up or the next poll reads on from the same place.
        .catch((error) => log.warn({ err: error, session_id: sessionId }, 'could not read events'))
        .finally(() => {
          isPumping = false;
        });
    }
    function close(): void {
      streams.delete(sessionId);
      wakeups.close();
    }
    streams.set(sessionId, stream);
    return stream;
  }

  const poll = setInterval(async () => {
    if (streams.size === 0) return;
    try {
      const newest = await store.events.lastSeqs([...streams.keys()]);
      for (const stream of streams.values()) if ((newest.get(stream.sessionId) ?? 0) > stream.seq) stream.pump();
    } catch (error) {
      log.warn({ err: error }, 'could not ask for new events');
    }
  }, pollMs);

  return {
    /** Delivers every event after `seq`, in order and once, until the signal. */
    async follow(sessionId: string, seq: number, onEvents: Listener['onEvents'], signal: AbortSignal): Promise<void> {
      const stream = streams.get(sessionId) ?? openStream(sessionId, seq);
      const listener: Listener = { seq, isCaughtUp: false, onEvents };
      stream.listeners.add(listener);
      signal.addEventListener('abort', () => {
        stream.listeners.delete(listener);
        if (stream.listeners.size === 0) stream.close();
      });
      if (signal.aborted) return;
      while (!listener.isCaughtUp && !signal.aborted) {
        const events = await store.events.after(sessionId, listener.seq, { limit: pageSize });
        deliver(listener, events);
        // Whatever comes after this place the stream delivers, to all alike.
        if (listener.seq >= stream.seq) listener.isCaughtUp = true;
      }
      stream.pump();
    },

    close() {
      clearInterval(poll);
      for (const stream of streams.values()) stream.close();
    },
  };
}
export type Hub = ReturnType<typeof createHub>;

/** Skips what this listener has: it may have read further by itself than the stream had. */
function deliver(listener: Listener, events: StoredEvent[]): void {
  const fresh = events.filter(({ seq }) => seq > listener.seq);
  const last = fresh.at(-1);
  if (!last) return;
  listener.seq = last.seq;
  listener.onEvents(fresh);
}
