// The right of this host to act, renewed by heartbeats that agents answer. It never ends here later than agents believe.
// Without it the host keeps its browsers for a while: an outage of agents, bus or database is no reason to end them.

import { type Bus, type Heartbeat, type HeartbeatReply, heartbeat } from '@pilothouse/bus';
import type { Log } from '@pilothouse/process';

export type Lease = {
  /** Whether this host may act: an agent answered recently enough. */
  isHeld(): boolean;
  /** Sends a heartbeat at once: what it tells has changed. */
  tellNow(): void;
  close(): void;
};

type Options = {
  bus: Pick<Bus, 'request'>;
  log: Log;
  hostId: string;
  bootId: string;
  /** The content of the next heartbeat. */
  tell: () => Pick<Heartbeat, 'capacity' | 'sessions' | 'load'> & Partial<Pick<Heartbeat, 'is_leaving'>>;
  /** Called when the host may act again. */
  onHeld: () => void;
  /** Called when the lease has run out. */
  onLost?: () => void;
  /** Called, before the lease is renewed, with the sessions that another host has by now. */
  onOpenedElsewhere: (sessions: HeartbeatReply['opened_elsewhere']) => void;
  /** How long browsers are kept after the lease has run out. */
  keepMs: number;
  /** The time, or two minutes where it is shorter, begins with the host: it may be refused for ever. */
  isKeptFromStart?: boolean;
  /** Called when that time is over: the browsers must end now. */
  onKeepOver: () => void;
  everyMs?: number;
  /** Monotonic. */
  now?: () => number;
};

/** Heartbeats in the time of one lease, so that one lost answer does not end it. */
const beatsPerLease = 3;
/** How many agents are asked in the time of one heartbeat while none answers. */
const asksPerBeat = 4;

/** However short browsers are kept: a host that has just started has none, and agents need time to answer. */
const minStartMs = 120_000;

/** Counted on the host's own monotonic clock from the moment the heartbeat was sent, so it ends here first. */
export function holdLease(options: Options): Lease {
  const { bus, log, hostId, bootId, tell, onHeld, onOpenedElsewhere } = options;
  const { everyMs = 2000, now = () => performance.now() } = options;
  const keep = createKeep({ ...options, now });
  let heldUntil: number | undefined;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let expiry: NodeJS.Timeout | undefined;
  const isHeld = () => heldUntil !== undefined && now() < heldUntil;

  function beatAfter(ms: number): void {
    clearTimeout(timer);
    if (!isClosed) timer = setTimeout(beat, ms);
  }

  /** The next heartbeat is sent without waiting for the answer to the last: the agent that got it may stand still. */
  function beat(): void {
    beatAfter(everyMs / asksPerBeat);
    beatOnce().catch((error) => {
      // A heartbeat that could not even be put together counts as one that no agent answered.
      log.error({ err: error }, 'could not send a heartbeat');
      beatAfter(everyMs / 8);
    });
  }

  async function beatOnce(): Promise<void> {
    const sentAt = now();
    const message = { host_id: hostId, boot_id: bootId, is_leaving: false, ...tell() };
    const result = await bus.request(heartbeat, { host_id: hostId }, message, { timeoutMs: everyMs });
    if (isClosed) return;
    if (result.ok) {
      // First: under the renewed lease their drivers of before could act again.
      onOpenedElsewhere(result.reply.opened_elsewhere);
      renew(sentAt + result.reply.lease_ms);
      beatAfter(Math.min(everyMs, result.reply.lease_ms / beatsPerLease));
      return;
    }
    log.debug({ reason: result.reason }, 'no agent answered the heartbeat');
    // A host that just started should not wait a whole beat for the first agent. After a silence others were asked already.
    if (result.reason !== 'timeout') beatAfter(everyMs / 8);
  }

  function renew(until: number): void {
    // A process that stood still may read the answer before its timers run: the lease was lost all the same.
    expire();
    keep.check();
    // An answer that comes late, after that of a later heartbeat, shortens nothing.
    if (until <= now() || (heldUntil !== undefined && until <= heldUntil)) return;
    const wasHeld = isHeld();
    heldUntil = until;
    keep.stop();
    expireLater(until);
    if (!wasHeld) onHeld();
  }

  function expireLater(until: number): void {
    clearTimeout(expiry);
    expiry = setTimeout(expire, until - now());
  }

  function expire(): void {
    if (heldUntil === undefined) return;
    // Timers may fire a moment early.
    if (now() < heldUntil) return void expireLater(heldUntil);
    log.warn({ keep_secs: Math.round(options.keepMs / 1000) }, 'the lease has run out: this host does not act');
    keep.start(heldUntil);
    heldUntil = undefined;
  }
  beat();
  return {
    isHeld,
    tellNow: beat,
    close() {
      isClosed = true;
      heldUntil = undefined;
      for (const one of [timer, expiry]) clearTimeout(one);
      keep.stop();
    },
  };
}

type KeepOptions = Pick<Options, 'keepMs' | 'isKeptFromStart' | 'onLost' | 'onKeepOver' | 'log'> & {
  now: () => number;
};

/** Counts the time for which browsers are kept without a lease. */
function createKeep({ keepMs, isKeptFromStart, onLost, onKeepOver, log, now }: KeepOptions) {
  let keptUntil: number | undefined = isKeptFromStart ? now() + Math.max(keepMs, minStartMs) : undefined;
  let timer: NodeJS.Timeout | undefined;

  function check(): void {
    if (keptUntil === undefined) return;
    const leftMs = keptUntil - now();
    clearTimeout(timer);
    // Timers may fire a moment early.
    if (leftMs > 0) {
      timer = setTimeout(check, leftMs);
      return;
    }
    keptUntil = undefined;
    log.warn('no agent has renewed the lease for so long that all browsers end');
    onKeepOver();
  }

  check();
  return {
    start(lostAt: number): void {
      onLost?.();
      keptUntil = lostAt + keepMs;
      check();
    },
    check,
    stop(): void {
      keptUntil = undefined;
      clearTimeout(timer);
    },
  };
}
