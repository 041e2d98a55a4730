import { type Bus, sessionCommand } from '@pilothouse/bus';
import type { Log } from '@pilothouse/process';
import type { Fence } from '@pilothouse/store';

/** Whoever cancels waits for this; a host that takes longer is told by the agent, which looks twice a second. */
const cutMs = 1000;

/** Tells the host of a cancelled task the new epoch: answered once what was under way can touch nothing any more. */
export function createCut({ bus, log }: { bus: Bus; log: Log }) {
  return async ({ session_id, host_id, epoch }: Fence): Promise<void> => {
    const message = { type: 'take', epoch } as const;
    const result = await bus.request(sessionCommand, { host_id, session_id }, message, { timeoutMs: cutMs });
    if (result.ok && result.reply.head.ok) return;
    const reason = result.ok ? result.reply.head : result.reason;
    log.info({ session_id, host_id, reason }, 'a host was not told that its task is cancelled');
  };
}
