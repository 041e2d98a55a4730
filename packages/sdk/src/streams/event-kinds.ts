// The kinds of events that this version of the client knows.

import {
  type BundledEvent,
  LiveEvent,
  loggedLiveKinds,
  loggedTaskKinds,
  passingLiveKinds,
  passingTaskKinds,
  TaskEvent,
} from '@pilothouse/contract';

const taskKinds: ReadonlySet<string> = new Set([...loggedTaskKinds, ...passingTaskKinds]);
const liveKinds: ReadonlySet<string> = new Set([...loggedLiveKinds, ...passingLiveKinds]);

export function kindsOf(stream: unknown): ReadonlySet<string> {
  if (stream === TaskEvent) return taskKinds;
  if (stream === LiveEvent) return liveKinds;
  throw new Error('a stream of events this client does not know');
}

/** The same for an event in a bundle. */
export function isKnown(event: BundledEvent): boolean {
  if (event.type === 'refused') return true;
  return (event.type === 'live' ? liveKinds : taskKinds).has(event.event.type);
}
