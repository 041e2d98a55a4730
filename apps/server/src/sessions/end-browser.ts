import { type Bus, hostCommand } from '@pilothouse/bus';
import type { Log } from '@pilothouse/process';
import { type Fence, type Store, sessionStateOf } from '@pilothouse/store';

const closeMs = 5000;

/** Has the host end the browser of a closed session. Where it does not answer, the browser is parked for room later. */
export function createEndBrowser({ store, bus, log }: { store: Store; bus: Bus; log: Log }) {
  async function end({ session_id, host_id, epoch }: Fence): Promise<void> {
    const message = { type: 'close', session_id, epoch } as const;
    const result = await bus.request(hostCommand, { host_id }, message, { timeoutMs: closeMs });
    if (!result.ok || !result.reply.ok) {
      log.warn({ session_id, host_id, result }, 'the browser of a closed session was not ended');
      return;
    }
    await store.change(session_id, async (tx, append) => {
      await store.browsers.release(tx, session_id, { hostId: host_id, epoch });
      const session = await store.sessions.setBrowser(tx, session_id, 'cold');
      if (session) await append({ kind: 'status', data: { session: sessionStateOf(session) } });
    });
  }

  return (fence: Fence): void =>
    void end(fence).catch((error) => log.warn({ err: error, session_id: fence.session_id }, 'could not end a browser'));
}
