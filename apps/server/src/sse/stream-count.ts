// How many streams are open at this server, for metrics.

import { Gauge, type Registry } from 'prom-client';
import type { EventStream } from './event-stream.ts';

type OnStream<Caller> = (caller: Caller, stream: EventStream) => void;

/** Counts each stream until it ends, and passes it on. */
export function countStreams<Caller>(metrics: Registry, onStream: OnStream<Caller>): OnStream<Caller> {
  const open = new Gauge({
    name: 'pilothouse_open_streams',
    help: 'Responses with server-sent events that are open.',
    registers: [metrics],
  });
  return (caller, stream) => {
    open.inc();
    stream.onEnd(() => open.dec());
    onStream(caller, stream);
  };
}
