import { type Bus, eventWakeup } from '@pilothouse/bus';
import type { Log } from '@pilothouse/process';
import type { Store, StoredEvent } from '@pilothouse/store';
import { Counter, type Registry } from 'prom-client';
import type { EventStream } from '../http/event-stream.ts';

type Options = { store: Pick<Store, 'events'>; bus: Bus; log: Log; metrics: Registry };
/** How long somebody follows. */
export type Ending = Pick<EventStream, 'isEnded' | 'onEnd'>;
type Listener = { seq: number; isCaughtUp: boolean; onEvents: (events: StoredEvent[]) => void };
type Stream = {
  /** The last events of the session without a hole between them, up to `seq`. */
  recent: StoredEvent[];
  seq: number;
  listeners: Set<Listener>;
  /** Settles when `recent` was read for the first time. */
  ready: Promise<void>;
  pump(): void;
  leave(listener: Listener): void;
  close(): void;
};

/** A publisher that died between commit and publish costs at most this. */
const pollMs = 1000;
const pageSize = 500;
/** So many are kept for those who come, or come back: a server that was restarted reads them once for all of them. */
const recentEvents = 300;
/** How long a stream outlives its last listener, who often comes back. */
const lingerMs = 3000;

/**
 * One subscription a session and server, many listeners. What the bus brings is taken only where it is what comes next;
 * all else is read from Postgres, which has the numbers.
 */
export function createHub({ store, bus, log, metrics }: Options) {
  const streams = new Map<string, Stream>();
  const opened = new Counter({
    name: 'pilothouse_event_streams_total',
    help: 'Sessions whose events were begun to be followed for those who watch.',
    registers: [metrics],
  });
  const reads = new Counter({
    name: 'pilothouse_event_reads_total',
    help: 'Reads of events: the past of a stream for all of its listeners, for one that is further behind, what is new.',
    labelNames: ['why'],
    registers: [metrics],
  });

  function openStream(sessionId: string): Stream {
    let isPumping = true;
    let isStale = false;
    let linger: NodeJS.Timeout | undefined;
    const wakeups = bus.subscribe(eventWakeup, { session_id: sessionId }, ({ seq: newest, events = [] }) => {
      // Where it brings just what comes next, nobody has to look.
      if (!isPumping && areNext(events, stream.seq)) take(events.map((event) => ({ ...event, session_id: sessionId })));
      if (newest > stream.seq) pump();
    });

    function take(events: StoredEvent[]): void {
      stream.recent = [...stream.recent, ...events].slice(-recentEvents);
      stream.seq = events.at(-1)?.seq ?? stream.seq;
      for (const listener of stream.listeners) if (listener.isCaughtUp) deliver(listener, events);
    }

    async function begin(): Promise<void> {
      reads.inc({ why: 'begin' });
      stream.recent = await store.events.last(sessionId, recentEvents);
      stream.seq = stream.recent.at(-1)?.seq ?? 0;
    }
    async function readOn(): Promise<void> {
      for (;;) {
        isStale = false;
        reads.inc({ why: 'new' });
        const events = await store.events.after(sessionId, stream.seq, { limit: pageSize });
        take(events);
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
    const stream: Stream = {
      recent: [],
      seq: 0,
      listeners: new Set(),
      ready: Promise.resolve(),
      pump,
      leave(listener) {
        stream.listeners.delete(listener);
        clearTimeout(linger);
        if (stream.listeners.size === 0)
          linger = setTimeout(() => stream.listeners.size === 0 && stream.close(), lingerMs).unref();
      },
      close() {
        clearTimeout(linger);
        if (streams.get(sessionId) === stream) streams.delete(sessionId);
        wakeups.close();
      },
    };
    streams.set(sessionId, stream);
    opened.inc();
    stream.ready = begin().finally(() => {
      isPumping = false;
      // Said while we read.
      if (isStale) pump();
    });
    // Those who wait for it are told by it; a stream that could not begin is not kept for others.
    stream.ready.catch(stream.close);
    return stream;
  }

  const poll = setInterval(async () => {
    if (streams.size === 0) return;
    try {
      const newest = await store.events.lastSeqs([...streams.keys()]);
      for (const [sessionId, stream] of streams) if ((newest.get(sessionId) ?? 0) > stream.seq) stream.pump();
    } catch (error) {
      log.warn({ err: error }, 'could not ask for new events');
    }
  }, pollMs);

  return {
    /** Delivers every event after `seq`, in order and once, until the end. */
    async follow(sessionId: string, seq: number, onEvents: Listener['onEvents'], ending: Ending): Promise<void> {
      if (ending.isEnded()) return;
      const stream = streams.get(sessionId) ?? openStream(sessionId);
      const listener: Listener = { seq, isCaughtUp: false, onEvents };
      stream.listeners.add(listener);
      ending.onEnd(() => stream.leave(listener));
      await stream.ready;
      while (!listener.isCaughtUp && !ending.isEnded()) {
        // Whatever is not among the recent ones is read for this listener alone.
        if (listener.seq < (stream.recent[0]?.seq ?? 1) - 1) {
          reads.inc({ why: 'behind' });
          deliver(listener, await store.events.after(sessionId, listener.seq, { limit: pageSize }));
          continue;
        }
        deliver(listener, stream.recent);
        // Whatever comes after this place the stream delivers, to all alike.
        listener.isCaughtUp = true;
      }
    },

    close() {
      clearInterval(poll);
      for (const stream of streams.values()) stream.close();
    },
  };
}
export type Hub = ReturnType<typeof createHub>;

/** Whether these follow on that place, and on each other. */
const areNext = (events: { seq: number }[], seq: number): boolean =>
  events.length > 0 && events.every((event, i) => event.seq === seq + 1 + i);

/** Skips what this listener has: it may have read further by itself than the stream had. */
function deliver(listener: Listener, events: StoredEvent[]): void {
  const last = events.at(-1);
  if (!last || last.seq <= listener.seq) return;
  const isNext = events[0]?.seq === listener.seq + 1;
  const fresh = isNext ? events : events.filter(({ seq }) => seq > listener.seq);
  listener.seq = last.seq;
  listener.onEvents(fresh);
}
