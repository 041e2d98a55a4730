// The events of one session for all its listeners at this server: one subscription, one read, and the last events kept.

import { type Bus, eventWakeup } from '@pilothouse/bus';
import type { Log } from '@pilothouse/process';
import type { Store, StoredEvent } from '@pilothouse/store';

type Options = {
  store: Pick<Store, 'events'>;
  bus: Bus;
  log: Log;
  /** Called before each read of the database. */
  onRead: (why: 'begin' | 'new') => void;
  /** Called with new events that the listeners got. */
  onDelivered: (events: StoredEvent[]) => void;
  onClosed: () => void;
};
export type EventListener = {
  seq: number;
  isCaughtUp: boolean;
  onEvents: (events: StoredEvent[]) => void;
  /** Ends its stream: the viewer comes back from the last event that it has. */
  close: () => void;
};
export type SessionEvents = {
  /** The last events of the session without a gap between them, up to `seq`. */
  recent: StoredEvent[];
  seq: number;
  listeners: Set<EventListener>;
  /** Settles when `recent` was read for the first time. */
  ready: Promise<void>;
  /** Reads what is new. */
  pump(): void;
  /** Drops recent events below this number: a purge has removed them. */
  forgetBefore(seq: number): void;
  leave(listener: EventListener): void;
  close(): void;
};

export const pageSize = 500;
/** Kept for listeners that come or come back: after a restart, a server reads them once for all listeners. */
const recentEvents = 300;
/** How long it stays open without listeners, who often come back. */
const lingerMs = 3000;

/** An event from the bus is used only if it is the next one. Anything else is read from PostgreSQL, which has the order. */
export function openSessionEvents(sessionId: string, options: Options): SessionEvents {
  const { store, bus, log, onRead, onDelivered, onClosed } = options;
  let isPumping = true;
  let isStale = false;
  let linger: NodeJS.Timeout | undefined;
  const onFailed = (error: unknown) =>
    log.warn({ err: error, session_id: sessionId }, 'a listener was closed: it could not take an event');

  const session: SessionEvents = {
    recent: [],
    seq: 0,
    listeners: new Set(),
    ready: Promise.resolve(),
    pump,
    forgetBefore(seq) {
      if ((session.recent[0]?.seq ?? seq) < seq) session.recent = session.recent.filter((event) => event.seq >= seq);
    },
    leave(listener) {
      session.listeners.delete(listener);
      clearTimeout(linger);
      if (session.listeners.size === 0)
        linger = setTimeout(() => session.listeners.size === 0 && session.close(), lingerMs).unref();
    },
    close() {
      clearTimeout(linger);
      onClosed();
      wakeups.close();
    },
  };

  function take(events: StoredEvent[]): void {
    const { seq: before } = session;
    session.recent = [...session.recent, ...events].slice(-recentEvents);
    session.seq = events.at(-1)?.seq ?? before;
    for (const listener of [...session.listeners])
      if (listener.isCaughtUp) pass(session, listener, { events, before, onFailed });
    if (events.length > 0) onDelivered(events);
  }
  async function begin(): Promise<void> {
    onRead('begin');
    // Read before: of a session whose events were all removed, the next event follows this number.
    const { last: newest } = await store.events.keptOf(sessionId);
    session.recent = await store.events.last(sessionId, recentEvents);
    session.seq = session.recent.at(-1)?.seq ?? newest;
  }
  async function readOn(): Promise<void> {
    for (;;) {
      isStale = false;
      onRead('new');
      const events = await store.events.after(sessionId, session.seq, { limit: pageSize });
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

  const wakeups = bus.subscribe(eventWakeup, { session_id: sessionId }, ({ seq: newest, events = [] }) => {
    if (!isPumping && areNext(events, session.seq)) take(events.map((event) => ({ ...event, session_id: sessionId })));
    if (newest > session.seq) pump();
  });
  session.ready = begin().finally(() => {
    isPumping = false;
    // A wake-up came during the read.
    if (isStale) pump();
  });
  // Listeners that wait for `ready` see the error there. A session that could not be read is not kept for others.
  session.ready.catch(session.close);
  return session;
}

type Passing = { events: StoredEvent[]; before: number; onFailed: (error: unknown) => void };

/** A listener that throws must not cost the others an event. It has a gap from here on, so its stream ends. */
function pass(session: SessionEvents, listener: EventListener, { events, before, onFailed }: Passing): void {
  try {
    if (listener.seq < before) throw new Error(`a listener has events up to ${listener.seq}, and misses ${before}`);
    deliver(listener, events);
  } catch (error) {
    onFailed(error);
    session.leave(listener);
    listener.close();
  }
}

/** Whether these events follow `seq`, and each other. */
const areNext = (events: { seq: number }[], seq: number): boolean =>
  events.length > 0 && events.every((event, i) => event.seq === seq + 1 + i);

/** Skips events that this listener has: it may have read further by itself. */
export function deliver(listener: EventListener, events: StoredEvent[]): void {
  const last = events.at(-1);
  if (!last || last.seq <= listener.seq) return;
  const isNext = events[0]?.seq === listener.seq + 1;
  const fresh = isNext ? events : events.filter(({ seq }) => seq > listener.seq);
  listener.seq = last.seq;
  listener.onEvents(fresh);
}
