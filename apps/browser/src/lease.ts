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
  /** The lease has run out: what it allowed must end now. */
  onLost: () => void;
  everyMs?: number;
};

/**
 * The right to act, renewed by heartbeats that agents answer. It is counted on our own monotonic clock from the moment
 * the heartbeat was sent, so it ends here no later than those who granted it believe.
 */
export function holdLease({ bus, log, hostId, bootId, capacity, sessions, onLost, everyMs = 2000 }: Options): Lease {
  let heldUntil = 0;
  let isClosed = false;
  let timer: NodeJS.Timeout;
  let lost: NodeJS.Timeout | undefined;

  async function beat(): Promise<void> {
    const sentAt = performance.now();
    const message = { host_id: hostId, boot_id: bootId, sessions: sessions(), capacity };
    const result = await bus.request(heartbeat, { host_id: hostId }, message, { timeoutMs: everyMs });
    if (isClosed) return;
    if (result.ok) renew(sentAt + result.reply.lease_ms);
    else log.debug({ reason: result.reason }, 'nobody answered the heartbeat');
    // While nobody answers, ask sooner: a host that just started should not wait a whole beat for the first agent.
    timer = setTimeout(() => void beat(), result.ok ? everyMs : everyMs / 8);
  }

  function renew(until: number): void {
    heldUntil = until;
    clearTimeout(lost);
    lost = setTimeout(onLost, Math.max(0, until - performance.now()));
  }
  void beat();

  return {
    isHeld: () => performance.now() < heldUntil,
    close() {
      isClosed = true;
      heldUntil = 0;
      clearTimeout(timer);
      clearTimeout(lost);
    },
  };
}
