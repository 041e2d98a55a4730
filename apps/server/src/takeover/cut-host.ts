// Stops what a host still does for a cancelled task.

import { type HostClient, holdOf } from '@pilothouse/fleet';
import type { Log } from '@pilothouse/process';
import type { DriverChange } from '@pilothouse/store';

/** The caller who cancels waits for this. A slower host is told by the agent, which looks twice a second. */
const cutMs = 1000;

/** Tells the host the new epoch. The host answers once nothing that was under way can touch the page any more. */
export function createCutHost({ hosts, log }: { hosts: HostClient; log: Log }) {
  return async (fence: DriverChange): Promise<void> => {
    const result = await hosts.take(holdOf(fence), { timeoutMs: cutMs });
    if (result.type === 'done') return;
    const { session_id, host_id } = fence;
    const reason = result.type === 'refused' ? result.failure : result.reason;
    log.info({ session_id, host_id, reason }, 'a host was not told that its task is cancelled');
  };
}
