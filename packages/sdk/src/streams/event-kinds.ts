// The kinds of events that this version of the client knows.

import type { BundledEvent } from '@pilothouse/contract';
import {
  loggedLiveKinds,
  loggedTaskKinds,
  passingLiveKinds,
  passingTaskKinds,
  type StreamKind,
} from '@pilothouse/contract/wire';

const taskKinds: ReadonlySet<string> = new Set([...loggedTaskKinds, ...passingTaskKinds]);
const liveKinds: ReadonlySet<string> = new Set([...loggedLiveKinds, ...passingLiveKinds]);

export function kindsOf(stream: StreamKind | undefined): ReadonlySet<string> {
  if (stream === 'task') return taskKinds;
  if (stream === 'live') return liveKinds;
  throw new Error('a stream of events this client does not know');
}

/** The same for an event in a bundle. */
export function isKnown(event: BundledEvent): boolean {
  if (event.type === 'refused') return true;
  return (event.type === 'live' ? liveKinds : taskKinds).has(event.event.type);
}
