// The kinds of events that this version of the client knows.

import type { BundledEvent } from '@pilothouse/contract';
import {
  type BundledKind,
  inboxKinds,
  loggedLiveKinds,
  loggedTaskKinds,
  passingLiveKinds,
  passingTaskKinds,
  type StreamKind,
} from '@pilothouse/contract/wire';

const kinds: Record<BundledKind, ReadonlySet<string>> = {
  live: new Set([...loggedLiveKinds, ...passingLiveKinds]),
  task: new Set([...loggedTaskKinds, ...passingTaskKinds]),
  inbox: new Set(inboxKinds),
};

export function kindsOf(stream: StreamKind | undefined): ReadonlySet<string> {
  if (!stream || stream === 'bundle') throw new Error('a stream of events this client does not know');
  return kinds[stream];
}

/** The same for an event in a bundle. */
export function isKnown(event: BundledEvent): boolean {
  return event.type === 'refused' || kinds[event.type].has(event.event.type);
}
