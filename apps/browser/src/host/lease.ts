import { type Bus, type Heartbeat, heartbeat } from '@pilothouse/bus';
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
  /** What the next heartbeat says. */
  tell: () => Pick<Heartbeat, 'capacity' | 'sessions' | 'load'>;
  /** The host may act, after it might not. */
  onHeld: () => void;
  /** The lease has run out: what it allowed must end now. */
  onLost: () => void;
  everyMs?: number;
};

/** A lease is renewed this often, so that one lost answer does not end it. */
const BEATS_A_LEASE = 3;

/**
 * The right to act, renewed by heartbeats that agents answer. It is counted on our own monotonic clock from the moment
 * the heartbeat was sent, so it ends here no later than those who granted it believe.
 */
export function holdLease({ bus, log, hostId, bootId, tell, onHeld, onLost, everyMs = 2000 }: Options): Lease {
  let heldUntil: number | undefined;
  let isClosed = false;
  let timer: NodeJS.Timeout;
  let expiry: NodeJS.Timeout | undefined;
  const isHeld = () => heldUntil !== undefined && performance.now() < heldUntil;

  const beat = () =>
    beatOnce().catch((error) => {
      // One that could not even be put together counts as one that nobody answered.
      log.error({ err: error }, 'could not send a heartbeat');
      if (!isClosed) timer = setTimeout(beat, everyMs / 8);
    });

  async function beatOnce(): Promise<void> {
    const sentAt = performance.now();
    const message = { host_id: hostId, boot_id: bootId, ...tell() };
    const result = await bus.request(heartbeat, { host_id: hostId }, message, { timeoutMs: everyMs });
    if (isClosed) return;
    if (result.ok) renew(sentAt + result.reply.lease_ms);
    else log.debug({ reason: result.reason }, 'nobody answered the heartbeat');
    // While nobody answers, ask sooner: a host that just started should not wait a whole beat for the first agent.
    const waitMs = result.ok ? Math.min(everyMs, result.reply.lease_ms / BEATS_A_LEASE) : everyMs / 8;
    timer = setTimeout(beat, waitMs);
  }

  function renew(until: number): void {
    // A process that was stopped may read the answer before its timers: the lease was lost all the same.
    expire();
    if (until <= performance.now()) return;
    const wasHeld = isHeld();
    heldUntil = until;
    clearTimeout(expiry);
    expiry = setTimeout(expire, until - performance.now());
    if (!wasHeld) onHeld();
  }

  function expire(): void {
    if (heldUntil === undefined) return;
    const leftMs = heldUntil - performance.now();
    // Timers may come a moment early.
    if (leftMs > 0) {
      clearTimeout(expiry);
      expiry = setTimeout(expire, leftMs);
      return;
    }
    heldUntil = undefined;
    log.warn('the lease has run out');
    onLost();
  }
  void beat();

  return {
    isHeld,
    close() {
      isClosed = true;
      heldUntil = undefined;
      clearTimeout(timer);
      clearTimeout(expiry);
    },
  };
}
