// The script of the shared worker. It finds no packages by their names, so all that it imports are files of ours, and of
// the contract only types.
import type { Locks } from '../tab-lock.ts';
import type { Port } from './messages.ts';
import { createSwitchboard } from './switchboard.ts';

// Typed here, because the SDK is compiled for programs too, which are no workers.
const scope = globalThis as unknown as {
  onconnect: (event: { ports: readonly Port[] }) => void;
  navigator?: { locks?: Locks };
};
const switchboard = createSwitchboard({
  fetch: (...request) => fetch(...request),
  locks: scope.navigator?.locks,
});
scope.onconnect = ({ ports: [port] }) => {
  if (port) switchboard.connect(port);
};
