import { setTimeout as sleep } from 'node:timers/promises';
import { type Acted, type Bus, type Failure, hostCommand, type SavedState, sessionCommand } from '@pilothouse/bus';
import type { Step } from '@pilothouse/contract';
import type { Log } from '@pilothouse/process';
import { type Store, sessionStateOf } from '@pilothouse/store';

/** Where a session's browser is, and under which epoch we may act in it. */
export type Grip = { hostId: string; epoch: number };

export type Outcome =
  | { type: 'acted'; acted: Acted; image: Uint8Array }
  /** The host says why it did not; the browser is still there. */
  | { type: 'failed'; failure: Failure; message: string }
  /** Nobody knows the browser any more. Whether the step was done is known only where it cannot have been. */
  | { type: 'lost'; reason: string; mayHaveActed: boolean; isUnheard: boolean };

type Options = { store: Store; bus: Bus; log: Log };
type SessionOf = { id: string; viewport: { width: number; height: number } };

/** Failures that mean the browser is no longer ours, and whether the step may have been done all the same. */
const lostBrowser: Partial<Record<Failure, boolean>> = {
  no_session: false,
  no_lease: false,
  // Cut in the middle: what was under way may have happened.
  stale_epoch: true,
  crashed: true,
};

const openMs = 20_000;
const betweenTriesMs = 250;
const stepMs = 15_000;
const hostCheckMs = 500;

/** The agent's side of the hands: finds or opens the browser of a session, and has steps done in it. */
export function createHands({ store, bus, log }: Options) {
  async function setBrowser(sessionId: string, state: 'starting' | 'live'): Promise<void> {
    await store.change(sessionId, async (tx, append) => {
      const session = await store.sessions.setBrowser(tx, sessionId, state);
      if (session) await append({ kind: 'status', data: { session: sessionStateOf(session) } });
    });
  }

  async function open(session: SessionOf, hostId: string, epoch: number, state: SavedState | null) {
    const { id: session_id, viewport } = session;
    const message = { type: 'open', session_id, epoch, viewport, state } as const;
    const result = await bus.request(hostCommand, { host_id: hostId }, message, { timeoutMs: openMs });
    if (!result.ok) return result.reason;
    return result.reply.ok ? undefined : result.reply.failure;
  }

  /** Makes room: the browser that has rested longest is closed; what would bring it back was saved with its last step. */
  async function park(): Promise<void> {
    const coldest = await store.browsers.coldest();
    if (!coldest?.host_id) return;
    const { session_id, host_id, epoch } = coldest;
    const result = await bus.request(
      hostCommand,
      { host_id },
      { type: 'close', session_id, epoch },
      { timeoutMs: openMs },
    );
    if (!result.ok || !result.reply.ok) return;
    await store.change(session_id, async (tx, append) => {
      await store.browsers.release(tx, session_id, { hostId: host_id, epoch });
      const session = await store.sessions.setBrowser(tx, session_id, 'cold');
      if (session) await append({ kind: 'status', data: { session: sessionStateOf(session) } });
    });
    log.info({ session_id, host_id }, 'parked a resting browser to make room');
  }

  /** Aborts when the host that holds the browser is no longer there: nobody else would tell who waits for its answer. */
  function watchHost(sessionId: string, epoch: number) {
    const gone = new AbortController();
    const timer = setInterval(() => {
      store.browsers.of(sessionId).then(
        (known) => (!known?.is_live || known.epoch !== epoch) && gone.abort(),
        // The database is away: then nothing is known, and the request has its own deadline.
        () => {},
      );
    }, hostCheckMs);
    return { signal: gone.signal, close: () => clearInterval(timer) };
  }

  return {
    /**
     * The browser of the session, opened from its saved state where no host holds it. `lost` names an epoch under which
     * it was found to be gone, whatever the database still believes.
     */
    async ensure(session: SessionOf, { lost, signal }: { lost?: number; signal: AbortSignal }): Promise<Grip> {
      let gone = lost;
      for (;;) {
        signal.throwIfAborted();
        const known = await store.browsers.of(session.id);
        if (known?.is_live && known.host_id && known.epoch !== gone)
          return { hostId: known.host_id, epoch: known.epoch };
        const host = await store.browsers.roomiest();
        if (!host) await park();
        else {
          const before = known?.epoch ?? 0;
          const taken = await store.transaction((tx) =>
            store.browsers.assign(tx, session.id, { id: host.id, bootId: host.boot_id }, before),
          );
          if (!taken) continue;
          await setBrowser(session.id, 'starting');
          // Our own writing, checked by the host's schema on arrival.
          const refusal = await open(session, host.id, taken.epoch, taken.state as SavedState | null);
          if (!refusal) {
            await setBrowser(session.id, 'live');
            return { hostId: host.id, epoch: taken.epoch };
          }
          log.warn({ session_id: session.id, host_id: host.id, refusal }, 'a host did not open the browser');
          gone = taken.epoch;
          if (refusal === 'full') await park();
        }
        await sleep(betweenTriesMs, undefined, { signal });
      }
    },

    /** Whether the browser is still where it was, under the same epoch. */
    async holds(sessionId: string, { hostId, epoch }: Grip): Promise<boolean> {
      const known = await store.browsers.of(sessionId);
      return known?.is_live === true && known.host_id === hostId && known.epoch === epoch;
    },

    /** Has one step done. The same command id again is answered with what came of it the first time. */
    async act(
      sessionId: string,
      { hostId, epoch }: Grip,
      commandId: string,
      step: Step,
      signal: AbortSignal,
    ): Promise<Outcome> {
      const message = { type: 'act', command_id: commandId, epoch, deadline_ms: stepMs, step } as const;
      const to = { host_id: hostId, session_id: sessionId };
      const gone = watchHost(sessionId, epoch);
      const within = AbortSignal.any([signal, gone.signal]);
      const result = await bus
        .request(sessionCommand, to, message, { timeoutMs: stepMs + 5000, signal: within })
        .finally(gone.close);
      if (!result.ok) {
        const { reason, mayHaveActed } = result;
        return { type: 'lost', reason, mayHaveActed, isUnheard: reason === 'disconnected' || reason === 'timeout' };
      }
      const { head, body } = result.reply;
      if (!head.ok) {
        const mayHaveActed = lostBrowser[head.failure];
        if (mayHaveActed !== undefined) return { type: 'lost', reason: head.failure, mayHaveActed, isUnheard: false };
        return { type: 'failed', failure: head.failure, message: head.message };
      }
      if (head.type !== 'acted') throw new Error(`a host answered an act with "${head.type}"`);
      return { type: 'acted', acted: head, image: body };
    },
  };
}
export type Hands = ReturnType<typeof createHands>;
