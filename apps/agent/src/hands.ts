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
  withheldPicture,
} from '@pilothouse/bus';
import type { Step } from '@pilothouse/contract';
import type { Log } from '@pilothouse/process';
import { type Append, newId, type Store, sessionStateOf, storableJson, storableText, type Tx } from '@pilothouse/store';
import { createParker, setCold } from './parking.ts';

/** Where a session's browser is, under which epoch we may act in it, and since which it is the same browser. */
export type Grip = { hostId: string; epoch: number; openedEpoch: number };

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
/** How often, and how far apart, a host that nobody hears is asked before it counts as gone. */
const silentAsks = 3;
const silentMs = 250;
/** How long a host that did not answer is not asked to open a browser. */
const shunMs = 2000;
const betweenTriesMs = 250;
const hostCheckMs = 500;
const answerMs = 20_000;
const glanceMs = 5000;
const cutMs = 1000;
const takeMs = 3000;

/** The agent's side of the hands: finds or opens the browser of a session, and has steps done in it. */
export function createHands({ store, bus, log }: Options) {
  const parker = createParker({ bus, store, log });

  async function setBrowser(tx: Tx, append: Append, sessionId: string, state: 'starting' | 'live'): Promise<void> {
    const session = await store.sessions.setBrowser(tx, sessionId, state);
    if (session) await append({ kind: 'status', data: { session: sessionStateOf(session) } });
  }

  /** Unless somebody else has it by now. */
  const setLive = (sessionId: string, grip: Grip) =>
    store.change(sessionId, async (tx, append) => {
      if (await store.browsers.isHeldBy(tx, sessionId, grip)) await setBrowser(tx, append, sessionId, 'live');
    });

  /** Gives the browser to the host with the most room, under a new epoch; nothing, where somebody was quicker. */
  const assign = (session: Session, host: { id: string; boot_id: string }, before: number) =>
    store.change(session.id, async (tx, append) => {
      const to = { id: host.id, bootId: host.boot_id, reach: session.reach };
      const taken = await store.browsers.assign(tx, session.id, to, before);
      if (taken) await setBrowser(tx, append, session.id, 'starting');
      return taken;
    });

  async function open(
    { id: session_id, viewport, reach }: Session,
    { hostId, epoch }: Grip,
    { state, isPerson }: { state: SavedState | null; isPerson: boolean },
  ) {
    const message = { type: 'open', session_id, epoch, viewport, state, reach, is_person: isPerson } as const;
    const result = await bus.request(hostCommand, { host_id: hostId }, message, { timeoutMs: openMs });
    if (!result.ok) return result.reason;
    return result.reply.ok ? undefined : result.reply.failure;
  }

  /** Ends the browser at its host; what would bring it back is kept. False where the host did not do it. */
  async function close(session_id: string, { hostId, epoch }: Pick<Grip, 'hostId' | 'epoch'>): Promise<boolean> {
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

  /** Makes room: the browser that has rested longest is closed, unless somebody begins to use it. */
  async function park(): Promise<void> {
    const coldest = await store.browsers.coldest();
    if (!coldest?.host_id) return;
    const { session_id: sessionId, host_id: hostId, epoch } = coldest;
    await parker.park({ sessionId, hostId, epoch }, { isWaiting: false });
  }

  /** Whether nobody answers for the host. One that lost the bus for a moment is back before it is asked for the last time. */
  async function isSilent(hostId: string): Promise<boolean> {
    for (let ask = 1; ask <= silentAsks; ask += 1) {
      const result = await bus.request(hostCommand, { host_id: hostId }, { type: 'status' }, { timeoutMs: glanceMs });
      // That it does not answer in time says nothing: it may be busy, or the bus away.
      if (result.ok || result.reason !== 'no_responders') return false;
      if (ask < silentAsks) await sleep(silentMs);
    }
    return true;
  }

  /** Whether the browser cannot be had any more: its host is gone, or another has it. */
  async function isLostTo(sessionId: string, { hostId, epoch }: Pick<Grip, 'hostId' | 'epoch'>): Promise<boolean> {
    const known = await store.browsers.of(sessionId);
    return !known?.is_live || known.epoch !== epoch || (await isSilent(hostId));
  }

  /** Aborts when the host that holds the browser is no longer there: nobody else would tell who waits for its answer. */
  function watchHost(sessionId: string, grip: Pick<Grip, 'hostId' | 'epoch'>) {
    const gone = new AbortController();
    let isAsking = false;
    const timer = setInterval(() => {
      if (isAsking) return;
      isAsking = true;
      isLostTo(sessionId, grip)
        .then(
          (isLost) => isLost && gone.abort(),
          // The database is away: then nothing is known, and the request has its own deadline.
          () => {},
        )
        .finally(() => {
          isAsking = false;
        });
    }, hostCheckMs);
    return { signal: gone.signal, close: () => clearInterval(timer) };
  }

  /** Has one step done. The same command id again is answered with what came of it the first time. */
  async function act(
    sessionId: string,
    { hostId, epoch }: Pick<Grip, 'hostId' | 'epoch'>,
    command: Command,
  ): Promise<Outcome> {
    const { commandId = newId(), step, deadlineMs, bring, signal } = command;
    const message = { type: 'act', command_id: commandId, epoch, deadline_ms: deadlineMs, step, bring } as const;
    const to = { host_id: hostId, session_id: sessionId };
    const gone = watchHost(sessionId, { hostId, epoch });
    const within = AbortSignal.any([signal, gone.signal]);
    const result = await bus
      .request(sessionCommand, to, message, { timeoutMs: deadlineMs + 5000, signal: within })
      .finally(gone.close);
    if (result.ok) return outcomeOf(result.reply);
    const { reason, mayHaveActed } = result;
    const isUnheard =
      reason === 'disconnected' ||
      reason === 'timeout' ||
      (reason === 'no_responders' && (await isBack(to, commandId)));
    return { type: 'lost', reason, mayHaveActed, isUnheard };
  }

  /** Whether one that nobody answered for is there after all: the host lost the bus for a moment, and not the browser. */
  async function isBack(to: { host_id: string; session_id: string }, command_id: string): Promise<boolean> {
    if (await isSilent(to.host_id)) return false;
    // A host that lost its lease has ended its browsers, and may be here again before anybody noticed.
    const asked = await bus.request(sessionCommand, to, { type: 'answer', command_id }, { timeoutMs: glanceMs });
    return asked.ok || asked.reason !== 'no_responders';
  }

  return {
    /**
     * The browser of the session, opened from its saved state where no host holds it. `lost` names an epoch under which
     * it was found to be gone, whatever the database still believes.
     */
    async ensure(
      session: Session,
      { lost, isPerson = false, signal }: { lost?: number; isPerson?: boolean; signal: AbortSignal },
    ): Promise<Grip> {
      let gone = lost;
      const shunned = new Map<string, number>();
      const silentBoots = () => [...shunned].flatMap(([boot, until]) => (performance.now() < until ? boot : []));
      for (;;) {
        signal.throwIfAborted();
        const known = await store.browsers.of(session.id);
        if (known?.is_live && known.host_id && known.epoch !== gone) {
          const grip = { hostId: known.host_id, epoch: known.epoch, openedEpoch: known.opened_epoch };
          if (isSameReach(known.reach, session.reach)) {
            // Whoever opened it may not have lived to say so.
            if (known.browser !== 'live') await setLive(session.id, grip);
            return grip;
          }
          if (!(await close(session.id, grip))) gone = known.epoch;
          continue;
        }
        const host = await store.browsers.roomiest(silentBoots());
        if (!host) await park();
        else {
          const before = known?.epoch ?? 0;
          const taken = await assign(session, host, before);
          if (!taken) continue;
          const grip = { hostId: host.id, epoch: taken.epoch, openedEpoch: taken.epoch };
          // Our own writing, checked by the host's schema on arrival.
          const refusal = await open(session, grip, { state: taken.state as SavedState | null, isPerson });
          if (!refusal) {
            await setLive(session.id, grip);
            return grip;
          }
          log.warn({ session_id: session.id, host_id: host.id, refusal }, 'a host did not open the browser');
          gone = taken.epoch;
          // The database may believe in a host for some seconds after its death.
          if (refusal === 'no_responders') shunned.set(host.boot_id, performance.now() + shunMs);
          if (refusal === 'full') await park();
        }
        await sleep(betweenTriesMs, undefined, { signal });
      }
    },

    /** Whether the browser is still where it was, under the same epoch. */
    async holds(sessionId: string, { hostId, epoch }: Pick<Grip, 'hostId' | 'epoch'>): Promise<boolean> {
      const known = await store.browsers.of(sessionId);
      return known?.is_live === true && known.host_id === hostId && known.epoch === epoch;
    },

    act,

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

    /** What would bring the browser back, as it is now; nothing, where that cannot be had. */
    async stateOf(sessionId: string, grip: Grip, signal: AbortSignal): Promise<SavedState | null> {
      const step = { action: 'wait', for: { secs: 0 } } as const;
      const outcome = await act(sessionId, grip, { step, deadlineMs: glanceMs, bring: ['state'], signal });
      return outcome.type === 'acted' ? outcome.acted.state : null;
    },

    /** What the page in front asks. */
    async dialog(sessionId: string, { hostId }: Grip): Promise<Dialog | null> {
      const to = { host_id: hostId, session_id: sessionId };
      const result = await bus.request(sessionCommand, to, { type: 'observe' }, { timeoutMs: glanceMs });
      const head = result.ok ? result.reply.head : undefined;
      const dialog = head?.ok && head.type === 'observed' ? head.observation.dialog : null;
      return dialog && { ...dialog, message: storableText(dialog.message) };
    },

    /** What the last person who drove left: the address of the page in front, where it can be had, and what they wrote into. */
    async left(
      sessionId: string,
      { hostId }: Pick<Grip, 'hostId'>,
    ): Promise<{ url: string | null; written: string[] }> {
      const to = { host_id: hostId, session_id: sessionId };
      const result = await bus.request(sessionCommand, to, { type: 'look' }, { timeoutMs: glanceMs });
      const head = result.ok ? result.reply.head : undefined;
      if (!head?.ok || head.type !== 'seen') return { url: null, written: [] };
      const { url } = head.picture.route;
      return { url: url && storableText(url), written: head.written.map(storableText) };
    },

    /**
     * Tells the host that nobody acts under an older epoch any more; what it does of one, it does not finish. True where
     * it obeys, false where it has no such browser; throws where nobody knows.
     */
    async take(
      sessionId: string,
      { hostId, epoch }: Pick<Grip, 'hostId' | 'epoch'>,
      { isPerson = false } = {},
    ): Promise<boolean> {
      const to = { host_id: hostId, session_id: sessionId };
      const message = { type: 'take', epoch, is_person: isPerson } as const;
      const result = await bus.request(sessionCommand, to, message, { timeoutMs: takeMs });
      if (!result.ok && result.reason === 'no_responders') return false;
      if (!result.ok) throw new Error(`the host was not told of a new driver: ${result.reason}`);
      const { head } = result.reply;
      if (head.ok) return true;
      if (!isLost(head.failure)) throw new Error(`the host does not take a new driver: ${head.message}`);
      return false;
    },

    /** Whether the host has the browser, or is opening it. */
    async isThere(sessionId: string, hostId: string): Promise<boolean> {
      const result = await bus.request(hostCommand, { host_id: hostId }, { type: 'status' }, { timeoutMs: glanceMs });
      const sessions = result.ok && result.reply.ok ? (result.reply.status?.sessions ?? []) : [];
      return sessions.some(({ session_id }) => session_id === sessionId);
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
  return { type: 'acted', ...openly(storable(head), body) };
}

/** A picture that is only for who drives goes no further than here: what is kept says that there was one. */
function openly(acted: Acted, image: Uint8Array): { acted: Acted; image: Uint8Array } {
  const { picture } = acted;
  if (!picture?.private) return { acted, image };
  const withheld = withheldPicture(picture);
  return { acted: { ...acted, picture: { ...picture, content_type: withheld.content_type } }, image: withheld.image };
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
