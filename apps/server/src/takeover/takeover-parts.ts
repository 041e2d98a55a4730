// What beginning, changing and ending a takeover have in common.

import type { Takeover } from '@pilothouse/contract';
import { type HostClient, holdOf } from '@pilothouse/fleet';
import { type Caller, type DriverChange, type Store, type TakeoverRow, type Tx, takeoverOf } from '@pilothouse/store';
import type { From } from '../http/call.ts';
import type { LastInputSeqOf } from './input-count.ts';

export type TakeoverOptions = { store: Store; hosts: HostClient; lastInputSeqOf: LastInputSeqOf };

/** The caller waits for this. If the host takes longer, an agent does the rest. */
const takeMs = 2500;

export function createTakeoverParts({ store, hosts, lastInputSeqOf }: TakeoverOptions) {
  return {
    store,
    hosts,

    audit(tx: Tx, event: string, row: TakeoverRow, caller: Caller, { address }: From): Promise<void> {
      const data = { takeover_id: row.id, session_id: row.session_id, task_id: row.task_id };
      return store.audit.add({ event, outcome: 'success', userId: caller.id, address, data }, tx);
    },

    /** True once nothing that began under an older epoch goes on at the host. */
    async notifyHost(fence: DriverChange, { isPerson }: { isPerson: boolean }): Promise<boolean> {
      const result = await hosts.take(holdOf(fence), { isPerson, timeoutMs: takeMs });
      return result.type === 'done';
    },

    /** As its holder sees it. */
    viewOwn: async (row: TakeoverRow): Promise<Takeover> =>
      row.status === 'active' ? { ...takeoverOf(row), last_input_seq: await lastInputSeqOf(row) } : takeoverOf(row),
  };
}
export type TakeoverParts = ReturnType<typeof createTakeoverParts>;
