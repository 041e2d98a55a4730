// Several streams over one connection. The shared worker loads this file and cannot resolve packages: import only
// files.
import type { BundledEvent } from '@pilothouse/contract';
import { type Following, follow } from './stream.ts';

type BundleOptions = Omit<Following, 'kinds' | 'cursor' | 'connect'> & {
  /** `live:<id>`, `task:<id>` or `inbox:me`, with `@<cursor>` to continue from there. */
  streams: string[];
  connect: (streams: string[], signal: AbortSignal) => Promise<Response>;
  /** A newer server may send events that the caller has no type for; by default they are returned too. */
  isKnown?: (event: BundledEvent) => boolean;
};

const kinds: ReadonlySet<string> = new Set<BundledEvent['type']>(['live', 'task', 'inbox', 'refused']);

/** The events of all streams, each without gap or repeat, until all have ended. */
export async function* followBundle({
  streams,
  connect,
  isKnown = () => true,
  ...options
}: BundleOptions): AsyncGenerator<BundledEvent, void, undefined> {
  const going = new Map(streams.map(readStream));
  const places = () => [...going].map(([name, cursor]) => (cursor === undefined ? name : `${name}@${cursor}`));
  const events = follow({ ...options, kinds, connect: (_, signal) => connect(places(), signal) });
  for await (const next of events) {
    // It has one of the kinds above; its shape is promised by the server, as for every event.
    const event = next as BundledEvent;
    if (isLast(event)) going.delete(event.stream);
    else if (going.has(event.stream)) going.set(event.stream, cursorAfter(event) ?? going.get(event.stream));
    if (isKnown(event)) yield event;
    if (going.size === 0) return;
  }
}

/** The cursor after this event; undefined if the stream cannot continue from it. */
export function cursorAfter(event: BundledEvent): string | undefined {
  if (event.type === 'refused') return undefined;
  // A snapshot includes everything up to its own cursor.
  return event.event.type === 'snapshot' ? event.event.snapshot.cursor : (event.cursor ?? undefined);
}

/** Whether this is the last event of its stream. */
export function isLast(event: BundledEvent): boolean {
  return event.type === 'refused' || event.event.type === 'end' || event.event.type === 'reset';
}

function readStream(text: string): [name: string, cursor: string | undefined] {
  const at = text.indexOf('@');
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
