// Events of sessions to listeners at this server: each event after a place in the log, in order and once.

import type { Bus } from '@pilothouse/bus';
import type { Log } from '@pilothouse/process';
import type { Store, StoredEvent } from '@pilothouse/store';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { EventStream } from '../sse/event-stream.ts';
import { deliver, type EventListener, openSessionEvents, pageSize, type SessionEvents } from './session-events.ts';

type Options = { store: Pick<Store, 'events'>; bus: Bus; log: Log; metrics: Registry };
/** Until when a listener or viewer is there. */
export type Lifetime = Pick<EventStream, 'isEnded' | 'onEnd'>;

/** The longest delay of an event whose writer died between commit and announcement. */
const pollMs = 1000;

export function createEventHub({ store, bus, log, metrics }: Options) {
  const sessions = new Map<string, SessionEvents>();
  const { opened, reads, late, lag } = createCounters(metrics, () => sessions.values());

  function open(sessionId: string): SessionEvents {
    const session = openSessionEvents(sessionId, {
      store,
      bus,
      log,
      onRead: (why) => reads.inc({ why }),
      onDelivered: (events) => lag.observe(lagOf(events)),
      onClosed: () => {
        if (sessions.get(sessionId) === session) sessions.delete(sessionId);
      },
    });
    sessions.set(sessionId, session);
    opened.inc();
    return session;
  }

  async function poll(): Promise<void> {
    if (sessions.size === 0) return;
    const bounds = await store.events.boundsOf([...sessions.keys()]);
    for (const [sessionId, session] of sessions) {
      const { first, last } = bounds.get(sessionId) ?? { first: 1, last: 0 };
      session.forgetBefore(first);
      if (last <= session.seq) continue;
      late.inc(last - session.seq);
      session.pump();
    }
  }
  const timer = setInterval(
    () => void poll().catch((error) => log.warn({ err: error }, 'could not ask for new events')),
    pollMs,
  );

  return {
    /** Delivers every event after `seq` until the end. A listener that throws, or would miss an event, is closed. */
    async follow(
      sessionId: string,
      seq: number,
      onEvents: EventListener['onEvents'],
      lifetime: Lifetime & Pick<EventStream, 'close'>,
    ): Promise<void> {
      if (lifetime.isEnded()) return;
      const session = sessions.get(sessionId) ?? open(sessionId);
      const listener: EventListener = { seq, isCaughtUp: false, onEvents, close: () => lifetime.close() };
      session.listeners.add(listener);
      lifetime.onEnd(() => session.leave(listener));
      await session.ready;
      while (!listener.isCaughtUp && !lifetime.isEnded()) {
        // Older events than the recent ones are read for this listener alone.
        if (listener.seq < (session.recent[0]?.seq ?? 1) - 1) {
          reads.inc({ why: 'behind' });
          const older = await store.events.after(sessionId, listener.seq, { limit: pageSize });
          deliver(listener, older);
          // None: they were removed meanwhile, and only the recent ones are left.
          if (older.length > 0) continue;
        }
        deliver(listener, session.recent);
        // Where a purge left fewer events, there is nothing between.
        listener.seq = Math.max(listener.seq, session.seq);
        // From here on it gets the same deliveries as all listeners.
        listener.isCaughtUp = true;
      }
    },

    close() {
      clearInterval(timer);
      for (const session of sessions.values()) session.close();
    },
  };
}
export type EventHub = ReturnType<typeof createEventHub>;

/** Of the first of them. Two clocks are compared, so it may be off by as much as they are. */
const lagOf = ([first]: StoredEvent[]): number =>
  first ? Math.max(0, Date.now() - first.recorded_at.getTime()) / 1000 : 0;

function createCounters(metrics: Registry, sessions: () => Iterable<SessionEvents>) {
  new Gauge({
    name: 'pilothouse_events_followed',
    help: 'What is followed now: sessions at this server, and streams and calls that get their events.',
    labelNames: ['kind'],
    registers: [metrics],
    collect() {
      const listeners = [...sessions()].map((session) => session.listeners.size);
      this.set({ kind: 'sessions' }, listeners.length);
      this.set(
        { kind: 'listeners' },
        listeners.reduce((sum, count) => sum + count, 0),
      );
    },
  });
  const late = new Counter({
    name: 'pilothouse_events_late_total',
    help: 'Events that this server found by its look each second, and not by their announcement on the bus.',
    registers: [metrics],
  });
  const lag = new Histogram({
    name: 'pilothouse_event_lag_seconds',
    help: 'From the time of an event to its delivery at this server; by two clocks.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [metrics],
  });
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
  return { opened, reads, late, lag };
}
