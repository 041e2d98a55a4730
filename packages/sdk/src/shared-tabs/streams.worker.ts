// The script of the shared worker. It cannot resolve packages: import only files of the SDK, and only types of the
// contract.

import type { Locks } from '../common/tab-lock.ts';
import type { Port } from './messages.ts';
import { createTabRegistry } from './tab-registry.ts';

// Typed here, because the SDK is also compiled for programs, which are not workers.
const scope = globalThis as unknown as {
  onconnect: (event: { ports: readonly Port[] }) => void;
  navigator?: { locks?: Locks };
};
const registry = createTabRegistry({
  fetch: (...request) => fetch(...request),
  locks: scope.navigator?.locks,
});
scope.onconnect = ({ ports: [port] }) => {
  if (port) registry.connect(port);
};
