// Events of sessions to listeners at this server: each event after a place in the log, in order and once.

import type { Bus } from '@pilothouse/bus';
import type { Log } from '@pilothouse/process';
import type { Store } from '@pilothouse/store';
import { Counter, type Registry } from 'prom-client';
import type { EventStream } from '../sse/event-stream.ts';
import { deliver, type EventListener, openSessionEvents, pageSize, type SessionEvents } from './session-events.ts';

type Options = { store: Pick<Store, 'events'>; bus: Bus; log: Log; metrics: Registry };
/** Until when a listener or viewer is there. */
export type Lifetime = Pick<EventStream, 'isEnded' | 'onEnd'>;

/** The longest delay of an event whose writer died between commit and announcement. */
const pollMs = 1000;

export function createEventHub({ store, bus, log, metrics }: Options) {
  const sessions = new Map<string, SessionEvents>();
  const { opened, reads } = createCounters(metrics);

  function open(sessionId: string): SessionEvents {
    const session = openSessionEvents(sessionId, {
      store,
      bus,
      log,
      onRead: (why) => reads.inc({ why }),
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
      if (last > session.seq) session.pump();
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

function createCounters(metrics: Registry) {
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
  return { opened, reads };
}
