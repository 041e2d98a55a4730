import { type Bus, heartbeat } from '@pilothouse/bus';
import type { Log } from '@pilothouse/process';

export type Lease = {
  /** Whether this host may act: an agent answered recently enough. */
  isHeld(): boolean;
  close(): void;
};

type Options = {
  bus: Bus;
  log: Log;
  hostId: string;
  bootId: string;
  capacity: number;
  sessions: () => { session_id: string; epoch: number }[];
  everyMs?: number;
};

/**
 * The right to act, renewed by heartbeats that agents answer. It is counted on our own monotonic clock from the moment
 * the heartbeat was sent, so it ends here no later than those who granted it believe.
 */
export function holdLease({ bus, log, hostId, bootId, capacity, sessions, everyMs = 2000 }: Options): Lease {
  let heldUntil = 0;
  let isClosed = false;
  let timer: NodeJS.Timeout;

  async function beat(): Promise<void> {
    const sentAt = performance.now();
    const message = { host_id: hostId, boot_id: bootId, sessions: sessions(), capacity, at_monotonic_ms: sentAt };
    const result = await bus.request(heartbeat, { host_id: hostId }, message, { timeoutMs: everyMs });
    if (result.ok) heldUntil = sentAt + result.reply.lease_ms;
    else log.debug({ reason: result.reason }, 'nobody answered the heartbeat');
    if (isClosed) return;
    // While nobody answers, ask sooner: a host that just started should not wait a whole beat for the first agent.
    timer = setTimeout(() => void beat(), result.ok ? everyMs : everyMs / 8);
  }
  void beat();

  return {
    isHeld: () => performance.now() < heldUntil,
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
