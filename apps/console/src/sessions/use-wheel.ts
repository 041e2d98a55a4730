// The wheel in this tab: one tab at a time counts the inputs, and sends them.

import { ApiError, ConnectionError } from '@pilothouse/sdk';
import { useEffect, useMemo, useRef, useState } from 'react';
import { client } from '../api/login.ts';
import { describeError } from '../api/words.ts';
import type { Takeover } from '../live/api-types.ts';
import { createInputQueue, type InputQueue, type SendFailure } from '../live/input-queue.ts';
import { showToast } from '../ui/toasts.ts';

export type Wheel = {
  queue: InputQueue;
  /** This tab holds the lock, and its inputs are sent. */
  drives: boolean;
  inputsWaiting: number;
  /** When an input was last answered: each renews the lease. */
  answeredAt: number | undefined;
  /** Takes the lock from the tab that has it. */
  driveHere: () => void;
};

const leaseMs = 300_000;
/** The server writes a renewed lease at most once in this time. */
const renewMs = 5000;

/** When the wheel goes back by itself. A renewed lease is not told by the stream, so inputs that were answered count. */
export function leaseEndOf(
  { activated_at, requested_at, expires_at }: Takeover,
  answeredAt: number | undefined,
): string {
  if (answeredAt === undefined) return expires_at;
  const lengthMs = Math.min(Date.parse(expires_at) - Date.parse(activated_at ?? requested_at), leaseMs);
  return new Date(Math.max(Date.parse(expires_at), answeredAt + lengthMs - renewMs)).toISOString();
}

const isPassing = ({ status }: ApiError): boolean => status === 429 || status >= 500;

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

export function useWheel(sessionId: string, held: Takeover | undefined): Wheel {
  const [inputsWaiting, setInputsWaiting] = useState(0);
  const [answeredAt, setAnsweredAt] = useState<number>();
  const queue = useMemo(() => {
    const own: InputQueue = createInputQueue({
      send: async (actions, signal) => {
        const { pointer } = await client.movePointer({ id: sessionId, actions }, { signal, timeoutMs: 20_000 });
        // To the second: a move every few milliseconds need not draw the page again.
        setAnsweredAt(Math.floor(Date.now() / 1000) * 1000);
        return pointer.seq;
      },
      classify,
      sleep,
      onChange: () => setInputsWaiting(own.waiting()),
      onRefused: (error) => showToast(describeError(error)),
    });
    return own;
  }, [sessionId]);
  const { drives, driveHere } = useTabLock(`wheel ${sessionId}`, held !== undefined);

  useEffect(() => {
    if (drives && held) queue.attach(held.takeover_id, held.epoch);
    else queue.close();
  }, [queue, drives, held]);
  useEffect(() => () => queue.close(), [queue]);
  return { queue, drives, inputsWaiting, answeredAt: held ? answeredAt : undefined, driveHere };
}

/** Whether this tab has the lock of that name. It asks for it while `isWanted`, and never waits for it. */
function useTabLock(name: string, isWanted: boolean) {
  // A browser without locks has one tab that counts, as far as can be known.
  const locks = globalThis.navigator?.locks;
  const [drives, setDrives] = useState(false);
  const release = useRef<() => void>(undefined);

  const ask = useMemo(
    () => (steal: boolean) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const options: LockOptions = steal ? { steal: true } : { ifAvailable: true };
      release.current = resolve;
      void locks
        ?.request(name, options, async (lock) => {
          setDrives(lock !== null);
          if (lock) await promise;
        })
        // Another tab took it.
        .catch(() => setDrives(false));
    },
    [locks, name],
  );

  useEffect(() => {
    if (!isWanted) return;
    if (!locks) {
      setDrives(true);
      return;
    }
    ask(false);
    return () => {
      release.current?.();
      setDrives(false);
    };
  }, [isWanted, locks, ask]);
  return { drives: drives && isWanted, driveHere: () => ask(true) };
}
