// Closes the browser of a closed session at its host.

import { type HostClient, holdOf, setCold } from '@pilothouse/fleet';
import type { Log } from '@pilothouse/process';
import type { DriverChange, Store } from '@pilothouse/store';

type Options = { store: Store; hosts: HostClient; log: Log };

const closeMs = 5000;

/** If the host does not answer, an agent parks the browser later to make room. */
export function createCloseBrowser({ store, hosts, log }: Options) {
  async function close(fence: DriverChange): Promise<void> {
    const { session_id, host_id } = fence;
    const hold = holdOf(fence);
    const result = await hosts.close(hold, { timeoutMs: closeMs });
    if (result.type !== 'done') {
      log.warn({ session_id, host_id, result }, 'the browser of a closed session was not closed');
      return;
    }
    await store.change(session_id, async (tx, append) => {
      // A purge has taken it from its host already. It is closed all the same.
      await store.browsers.release(tx, session_id, hold);
      await setCold(store, tx, append, session_id);
    });
  }

  return (fence: DriverChange): void =>
    void close(fence).catch((error) =>
      log.warn({ err: error, session_id: fence.session_id }, 'could not close a browser'),
    );
}
