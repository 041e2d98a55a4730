// The number of the last input that a host has accepted of the person who drives. A window that begins goes on from it.

import { type HostClient, holdOf } from '@pilothouse/fleet';
import type { Store, TakeoverRow } from '@pilothouse/store';

type Options = { store: Pick<Store, 'browsers'>; hosts: HostClient };

/** The person's page waits for this. */
const countMs = 1000;

export function createInputCount({ store, hosts }: Options) {
  /** Null if nobody drives by this takeover, or if the host did not answer. */
  return async ({ session_id, status, epoch, client_no: clientNo }: TakeoverRow): Promise<number | null> => {
    if (status !== 'active') return null;
    const browser = await store.browsers.of(session_id);
    if (!browser?.is_live || !browser.host_id || browser.epoch !== epoch) return null;
    const hold = { ...holdOf({ session_id, host_id: browser.host_id, epoch }), clientNo };
    const result = await hosts.count(hold, { timeoutMs: countMs });
    return result.type === 'done' ? result.reply.seq : null;
  };
}
export type LastInputSeqOf = ReturnType<typeof createInputCount>;
