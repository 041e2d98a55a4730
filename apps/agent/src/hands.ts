import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Acted,
  type Bus,
  type Dialog,
  type Failure,
  hostCommand,
  Reach,
  type SavedState,
  type SessionReply,
  sessionCommand,
} from '@pilothouse/bus';
import type { Step } from '@pilothouse/contract';
import type { Log } from '@pilothouse/process';
import { newId, type Store, sessionStateOf, storableJson, storableText } from '@pilothouse/store';
import { setCold } from './parking.ts';

/** Where a session's browser is, and under which epoch we may act in it. */
export type Grip = { hostId: string; epoch: number };

export type Outcome =
  | { type: 'acted'; acted: Acted; image: Uint8Array }
  /** The host says why it did not; the browser is still there. */
  | { type: 'failed'; failure: Failure; message: string; hasTouched: boolean }
  /** Nobody knows the browser any more. Whether the step was done is known only where it cannot have been. */
  | { type: 'lost'; reason: string; mayHaveActed: boolean; isUnheard: boolean };

export type Session = { id: string; viewport: { width: number; height: number }; reach: Reach };
export type Command = {
  commandId?: string;
  step: Step;
  deadlineMs: number;
  bring?: ('picture' | 'state')[];
  signal: AbortSignal;
};

type Options = { store: Store; bus: Bus; log: Log };

/** Failures that mean the browser is no longer ours. */
const lostBrowser = new Set<Failure>(['no_session', 'no_lease', 'stale_epoch', 'crashed']);
export const isLost = (failure: Failure): boolean => lostBrowser.has(failure);

const openMs = 20_000;
const betweenTriesMs = 250;
const hostCheckMs = 500;
const answerMs = 20_000;
const glanceMs = 5000;
const cutMs = 1000;

/** The agent's side of the hands: finds or opens the browser of a session, and has steps done in it. */
export function createHands({ store, bus, log }: Options) {
  async function setBrowser(sessionId: string, state: 'starting' | 'live'): Promise<void> {
    await store.change(sessionId, async (tx, append) => {
      const session = await store.sessions.setBrowser(tx, sessionId, state);
      if (session) await append({ kind: 'status', data: { session: sessionStateOf(session) } });
    });
  }

  async function open({ id: session_id, viewport, reach }: Session, { hostId, epoch }: Grip, state: SavedState | null) {
    const message = { type: 'open', session_id, epoch, viewport, state, reach } as const;
    const result = await bus.request(hostCommand, { host_id: hostId }, message, { timeoutMs: openMs });
    if (!result.ok) return result.reason;
    return result.reply.ok ? undefined : result.reply.failure;
  }

  /** Ends the browser at its host; what would bring it back is kept. False where the host did not do it. */
  async function close(session_id: string, { hostId, epoch }: Grip): Promise<boolean> {
    const message = { type: 'close', session_id, epoch } as const;
    const result = await bus.request(hostCommand, { host_id: hostId }, message, { timeoutMs: openMs });
    if (!result.ok || !result.reply.ok) return false;
    const { state } = result.reply;
    await store.change(session_id, async (tx, append) => {
      if (state) await store.browsers.keepState(tx, session_id, { hostId, epoch }, state);
      if (await store.browsers.release(tx, session_id, { hostId, epoch })) await setCold(store, tx, append, session_id);
    });
    return true;
  }

  /** Makes room: the browser that has rested longest is closed. */
  async function park(): Promise<void> {
    const coldest = await store.browsers.coldest();
    if (!coldest?.host_id) return;
    const { session_id, host_id, epoch } = coldest;
    if (await close(session_id, { hostId: host_id, epoch }))
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
    async ensure(session: Session, { lost, signal }: { lost?: number; signal: AbortSignal }): Promise<Grip> {
      let gone = lost;
      for (;;) {
        signal.throwIfAborted();
        const known = await store.browsers.of(session.id);
        if (known?.is_live && known.host_id && known.epoch !== gone) {
          const grip = { hostId: known.host_id, epoch: known.epoch };
          if (isSameReach(known.reach, session.reach)) return grip;
          if (!(await close(session.id, grip))) gone = known.epoch;
          continue;
        }
        const host = await store.browsers.roomiest();
        if (!host) await park();
        else {
          const before = known?.epoch ?? 0;
          const to = { id: host.id, bootId: host.boot_id, reach: session.reach };
          const taken = await store.transaction((tx) => store.browsers.assign(tx, session.id, to, before));
          if (!taken) continue;
          await setBrowser(session.id, 'starting');
          const grip = { hostId: host.id, epoch: taken.epoch };
          // Our own writing, checked by the host's schema on arrival.
          const refusal = await open(session, grip, taken.state as SavedState | null);
          if (!refusal) {
            await setBrowser(session.id, 'live');
            return grip;
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
    async act(sessionId: string, { hostId, epoch }: Grip, command: Command): Promise<Outcome> {
      const { commandId = newId(), step, deadlineMs, bring, signal } = command;
      const message = { type: 'act', command_id: commandId, epoch, deadline_ms: deadlineMs, step, bring } as const;
      const to = { host_id: hostId, session_id: sessionId };
      const gone = watchHost(sessionId, epoch);
      const within = AbortSignal.any([signal, gone.signal]);
      const result = await bus
        .request(sessionCommand, to, message, { timeoutMs: deadlineMs + 5000, signal: within })
        .finally(gone.close);
      if (result.ok) return outcomeOf(result.reply);
      const { reason, mayHaveActed } = result;
      return { type: 'lost', reason, mayHaveActed, isUnheard: reason === 'disconnected' || reason === 'timeout' };
    },

    /** What came of a command, by whoever has the browser now; nothing, where nobody remembers it. */
    async answerOf(sessionId: string, { hostId }: Grip, commandId: string): Promise<Outcome | undefined> {
      const message = { type: 'answer', command_id: commandId } as const;
      const to = { host_id: hostId, session_id: sessionId };
      const result = await bus.request(sessionCommand, to, message, { timeoutMs: answerMs });
      if (!result.ok) return undefined;
      const { head } = result.reply;
      if (!head.ok && ['unknown_command', 'no_session', 'no_lease'].includes(head.failure)) return undefined;
      return outcomeOf(result.reply);
    },

    /** What the page in front asks. */
    async dialog(sessionId: string, { hostId }: Grip): Promise<Dialog | null> {
      const to = { host_id: hostId, session_id: sessionId };
      const result = await bus.request(sessionCommand, to, { type: 'observe' }, { timeoutMs: glanceMs });
      const head = result.ok ? result.reply.head : undefined;
      return head?.ok && head.type === 'observed' ? head.observation.dialog : null;
    },

    /** The address of the page in front, where it can be had. */
    async url(sessionId: string, { hostId }: Grip): Promise<string | undefined> {
      const to = { host_id: hostId, session_id: sessionId };
      const result = await bus.request(sessionCommand, to, { type: 'look' }, { timeoutMs: glanceMs });
      const head = result.ok ? result.reply.head : undefined;
      return head?.ok && head.type === 'seen' ? (head.picture.route.url ?? undefined) : undefined;
    },

    /** Tells the host whom we were replaced by, in case whoever did it could not: nothing of ours goes on there. */
    async cut(sessionId: string, { hostId, epoch }: Grip): Promise<void> {
      const known = await store.browsers.of(sessionId);
      if (!known || known.host_id !== hostId || known.epoch <= epoch) return;
      const to = { host_id: hostId, session_id: sessionId };
      await bus.request(sessionCommand, to, { type: 'take', epoch: known.epoch }, { timeoutMs: cutMs });
    },
  };
}
export type Hands = ReturnType<typeof createHands>;

function outcomeOf({ head, body }: { head: SessionReply; body: Uint8Array }): Outcome {
  if (!head.ok) {
    const { failure, has_touched: hasTouched } = head;
    const message = storableText(head.message);
    if (isLost(failure)) return { type: 'lost', reason: message, mayHaveActed: hasTouched, isUnheard: false };
    return { type: 'failed', failure, message, hasTouched };
  }
  if (head.type !== 'acted') throw new Error(`a host answered an act with "${head.type}"`);
  return { type: 'acted', acted: storable(head), image: body };
}

/** Pages choose their titles and texts, and the database does not hold every one. */
function storable(acted: Acted): Acted {
  const place = ({ url, title }: Acted['after']) => ({ url: storableText(url), title: storableText(title) });
  const { before, after, data, file, picture } = acted;
  const route = picture && { ...picture.route, title: picture.route.title && storableText(picture.route.title) };
  return {
    ...acted,
    before: place(before),
    after: place(after),
    ...(data !== undefined && { data: storableJson(data) }),
    file: file && { ...file, name: storableText(file.name) },
    picture: picture && route && { ...picture, route },
  };
}

/** Browsers opened before this was written down may reach everything. */
function isSameReach(opened: unknown, wanted: Reach): boolean {
  const { allow, deny } = Reach.safeParse(opened).data ?? { allow: null, deny: [] };
  return JSON.stringify([allow, deny]) === JSON.stringify([wanted.allow, wanted.deny]);
}
