// The wheel in this tab: one window of a person at a time counts the inputs, and sends them.

import { ApiError, ConnectionError } from '@pilothouse/sdk';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { client } from '../api/login.ts';
import { describeError } from '../api/words.ts';
import { clock } from '../common/clock.ts';
import type { Takeover } from '../live/api-types.ts';
import { type Counting, createInputQueue, type InputQueue, type SendFailure } from '../live/input-queue.ts';
import { createLeftInputs, type LeftInputs } from '../live/left-inputs.ts';
import { createWindowIds, randomId, type WindowIds } from '../live/window-ids.ts';
import { showToast } from '../ui/toasts.ts';
import { showError } from './show-error.ts';

export type Wheel = {
  queue: InputQueue;
  /** `here`: the inputs of this tab are sent. `claiming`: they are kept, while it is asked from which number they are counted. */
  place: 'here' | 'claiming' | 'elsewhere';
  /** A new name for this window, to take over with. */
  createId: () => string;
  /** When an input was last answered: each renews the lease. The clock tells when it has changed. */
  answeredAt: () => number | undefined;
  /** Goes on in this tab; the window that counted is refused from then on. */
  driveHere: () => void;
};

const leaseMs = 300_000;
/** The server writes a renewed lease at most once in this time. */
const renewMs = 5000;

/** Of the inputs that wait and of answers: what draws for a press while its picture is on the way, holds that up. */
const shownEveryMs = 300;

/** When the wheel goes back by itself. A renewed lease is not told by the stream, so inputs that were answered count. */
export function leaseEndOf(
  { activated_at, requested_at, expires_at }: Takeover,
  answeredAt: number | undefined,
): string {
  if (answeredAt === undefined) return expires_at;
  const lengthMs = Math.min(Date.parse(expires_at) - Date.parse(activated_at ?? requested_at), leaseMs);
  return new Date(Math.max(Date.parse(expires_at), answeredAt + lengthMs - renewMs)).toISOString();
}

/** Also a login that has ended: the person logs in again, and goes on. */
const isPassing = ({ status }: ApiError): boolean => status === 429 || status === 401 || status >= 500;

/** What a failed request means for the inputs in it. */
export function classify(error: unknown): { failure: SendFailure; waitMs?: number } {
  if (error instanceof ConnectionError) return { failure: 'again' };
  if (!(error instanceof ApiError)) return { failure: 'again' };
  if (error.retryAfterSecs !== undefined) return { failure: 'again', waitMs: error.retryAfterSecs * 1000 };
  if (isPassing(error)) return { failure: 'again' };
  if (error.code === 'conflict') return { failure: 'sync' };
  return { failure: error.code === 'validation_failed' ? 'refused' : 'lost' };
}

const sleep = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });

/** Does it so long after the first of the calls that come meanwhile. */
function atMostEvery(ms: number, work: () => void): () => void {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    setTimeout(() => {
      isDue = false;
      work();
    }, ms);
  };
}

type WheelOptions = {
  sessionId: string;
  /** The takeover while it is active and this person's. The same object under the same epoch and window. */
  held: Takeover | undefined;
  setTakeover: (takeover: Takeover) => unknown;
};

export function useWheel({ sessionId, held, setTakeover }: WheelOptions): Wheel {
  const answered = useRef<number>(undefined);
  const ids = useMemo(() => createWindowIds(sessionId, sessionStorageOf(), randomId), [sessionId]);
  const left = useMemo(() => createLeftInputs(sessionId, sessionStorageOf()), [sessionId]);
  const queue = useMemo(() => {
    const show = atMostEvery(shownEveryMs, clock.tell);
    return createInputQueue({
      send: async (actions, signal) => {
        const { pointer } = await client.movePointer({ id: sessionId, actions }, { signal, timeoutMs: 20_000 });
        answered.current = Date.now();
        show();
        return pointer.seq;
      },
      sendLast: (actions) => {
        left.keep(actions);
        // Nobody is left to hear of it.
        void client.movePointer({ id: sessionId, actions }, { keepalive: true }).catch(() => {});
      },
      classify,
      sleep,
      onChange: show,
      onRefused: (error) => showToast(describeError(error)),
    });
  }, [sessionId, left]);
  const { counting, place, driveHere } = useCounting({ sessionId, held, setTakeover, ids, left });

  useEffect(() => {
    if (counting && held) queue.attach(held.takeover_id, held.epoch, counting);
    // A person need not know that it is asked from which number they are counted.
    else if (held && place === 'claiming') queue.expect(held.takeover_id, held.epoch);
    else queue.close();
  }, [queue, counting, held, place]);
  useEffect(() => {
    addEventListener('pagehide', queue.leave);
    return () => {
      removeEventListener('pagehide', queue.leave);
      queue.close();
    };
  }, [queue]);
  const createId = ids.create;
  return { queue, place, createId, answeredAt: () => (held ? answered.current : undefined), driveHere };
}

function sessionStorageOf(): Storage | undefined {
  try {
    return globalThis.sessionStorage;
  } catch {
    // The browser forbids it.
    return undefined;
  }
}

type CountingOptions = WheelOptions & { ids: WindowIds; left: LeftInputs };

/** Under which name this tab counts, and from which number; it asks where the takeover was taken or driven from here. */
function useCounting({ sessionId, held, setTakeover, ids, left }: CountingOptions) {
  const [claimed, setClaimed] = useState<Counting & { heldBy: string }>();
  const [isClaiming, setClaiming] = useState(false);
  const running = useRef<AbortController>(undefined);
  const { isLocked, steal } = useTabLock(`wheel ${sessionId}`, held !== undefined);
  const { takeover_id, epoch, client_id = null } = held ?? {};
  const heldBy = `${takeover_id} ${epoch}`;

  const claim = useCallback(async () => {
    running.current?.abort();
    const stop = new AbortController();
    const { signal } = stop;
    running.current = stop;
    setClaiming(true);
    try {
      const clientId = ids.create();
      const takeover = await claimCount({ id: sessionId, client_id: clientId, takeover_id }, signal);
      const { last_input_seq: last } = takeover;
      const counted =
        typeof last === 'number'
          ? { next: last + 1, left: left.take(takeover.takeover_id, takeover.epoch, last) }
          : undefined;
      setClaimed({ clientId, ...counted, heldBy });
      setTakeover(takeover);
    } catch (error) {
      if (!signal.aborted) showError(error);
    }
    if (signal.aborted) return;
    running.current = undefined;
    setClaiming(false);
  }, [sessionId, ids, left, takeover_id, heldBy, setTakeover]);

  const isCounting = claimed !== undefined && claimed.heldBy === heldBy && claimed.clientId === client_id;
  const isClaimable = takeover_id !== undefined && (client_id === null || ids.isOwn(client_id));
  useEffect(() => {
    // Another tab of this browser may be a copy of this one, with the same names: the lock tells them apart.
    if (isClaimable && isLocked && !isCounting && !running.current) void claim();
  }, [isClaimable, isLocked, isCounting, claim]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a claim is for one takeover under one epoch
  useEffect(
    () => () => {
      running.current?.abort();
      running.current = undefined;
      setClaiming(false);
    },
    [heldBy],
  );

  const counting = isCounting && isLocked ? claimed : undefined;
  const driveHere = () => {
    steal();
    void claim();
  };
  const place: Wheel['place'] = counting
    ? 'here'
    : isClaiming || (isClaimable && isLocked !== false)
      ? 'claiming'
      : 'elsewhere';
  return { counting, place, driveHere };
}

const claimTries = 5;
const claimPauseMs = 500;

/** Server or host may not answer at once: the same name is claimed again, which changes nothing. */
async function claimCount(
  claim: Parameters<typeof client.setTakeoverClient>[0],
  signal: AbortSignal,
): Promise<Takeover> {
  for (let tries = 1; ; tries += 1) {
    const takeover = await client.setTakeoverClient(claim, { signal }).then(
      (answer) => answer.takeover,
      (error: unknown) => {
        if (signal.aborted || classify(error).failure !== 'again') throw error;
      },
    );
    if (typeof takeover?.last_input_seq === 'number' || (takeover && tries >= claimTries)) return takeover;
    await sleep(claimPauseMs, signal);
  }
}

const lockTries = 3;
const lockPauseMs = 150;

/** Whether this tab has the lock of that name; undefined until that is known. It asks while `isWanted`. */
function useTabLock(name: string, isWanted: boolean) {
  // A browser without locks has one tab that counts, as far as can be known.
  const locks = globalThis.navigator?.locks;
  const [isLocked, setLocked] = useState<boolean>();
  const current = useRef(new AbortController());
  const asking = useRef<AbortController>(undefined);

  const lock = useCallback(
    async (options: LockOptions) => {
      current.current.abort();
      const stop = new AbortController();
      current.current = stop;
      const { signal } = stop;
      // One that waits can be given up.
      const isWaiting = !options.ifAvailable && !options.steal;
      const isHeld = await locks
        .request(name, isWaiting ? { signal } : options, async (held) => {
          if (!held || signal.aborted) return held !== null;
          setLocked(true);
          return new Promise<boolean>((resolve) => signal.addEventListener('abort', () => resolve(true)));
        })
        // Another tab took it.
        .catch(() => false);
      if (!isHeld && !signal.aborted) setLocked(false);
      return isHeld;
    },
    [locks, name],
  );

  useEffect(() => {
    if (!isWanted) return;
    if (!locks) {
      setLocked(true);
      return;
    }
    const stop = new AbortController();
    asking.current = stop;
    void (async () => {
      // The page that was here before a reload may hold it a moment longer.
      for (let tries = 0; tries < lockTries && !stop.signal.aborted; tries += 1) {
        if (await lock({ ifAvailable: true })) return;
        await sleep(lockPauseMs, stop.signal).catch(() => {});
      }
      // On a busy machine it may hold it longer: then this tab has it as soon as it is free.
      if (!stop.signal.aborted) await lock({});
    })();
    return () => {
      stop.abort();
      current.current.abort();
      setLocked(undefined);
    };
  }, [isWanted, locks, lock]);
  const steal = () => {
    if (!locks) return;
    // Asking on would give up what is taken now.
    asking.current?.abort();
    void lock({ steal: true });
  };
  return { isLocked: isWanted ? isLocked : undefined, steal };
}
