import {
  BundledEvent,
  bundledKinds,
  LiveEvent,
  loggedLiveKinds,
  loggedTaskKinds,
  passingLiveKinds,
  passingTaskKinds,
  TaskEvent,
} from '@pilothouse/contract';

/** The kinds of events that a stream of the contract has. */
export function kindsOf(stream: unknown): ReadonlySet<string> {
  if (stream === TaskEvent) return new Set([...loggedTaskKinds, ...passingTaskKinds]);
  if (stream === LiveEvent) return new Set([...loggedLiveKinds, ...passingLiveKinds]);
  if (stream === BundledEvent) return new Set(bundledKinds);
  throw new Error('a stream of events this client does not know');
}
