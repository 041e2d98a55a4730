// Loaded by the shared worker too, which finds no packages by their names: nothing but files of ours is imported here.
import type { BundledEvent } from '@pilothouse/contract';
import { type Following, follow } from './stream.ts';

type Bundling = Omit<Following, 'kinds' | 'cursor' | 'connect'> & {
  /** Each as the interface spells it: `live:<id>` or `task:<id>`, with `@<cursor>` to go on from there. */
  streams: string[];
  connect: (streams: string[], signal: AbortSignal) => Promise<Response>;
  /** A newer server may send what the caller has no type for; all is given, unless it is said. */
  isKnown?: (event: BundledEvent) => boolean;
};

const kinds: ReadonlySet<string> = new Set<BundledEvent['type']>(['live', 'task', 'refused']);

/** The events of several streams over one connection at a time, each without gap or repeat, until all are over. */
export async function* followBundle({
  streams,
  connect,
  isKnown = () => true,
  ...options
}: Bundling): AsyncGenerator<BundledEvent, void, undefined> {
  const going = new Map(streams.map(readStream));
  const places = () => [...going].map(([name, cursor]) => (cursor === undefined ? name : `${name}@${cursor}`));
  const events = follow({ ...options, kinds, connect: (_, signal) => connect(places(), signal) });
  for await (const next of events) {
    // Of one of the kinds above, and the server's to promise, like every event.
    const event = next as BundledEvent;
    if (isLast(event)) going.delete(event.stream);
    else if (going.has(event.stream)) going.set(event.stream, cursorAfter(event) ?? going.get(event.stream));
    if (isKnown(event)) yield event;
    if (going.size === 0) return;
  }
}

/** Where the stream goes on after this event; nothing, where it is no place. */
export function cursorAfter(event: BundledEvent): string | undefined {
  if (event.type === 'refused') return undefined;
  // It holds all that was said up to its own cursor.
  return event.event.type === 'snapshot' ? event.event.snapshot.cursor : (event.cursor ?? undefined);
}

/** Whether nothing more comes of this stream that belongs to it. */
export function isLast(event: BundledEvent): boolean {
  return event.type === 'refused' || event.event.type === 'end' || event.event.type === 'reset';
}

function readStream(text: string): [name: string, cursor: string | undefined] {
  const at = text.indexOf('@');
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
