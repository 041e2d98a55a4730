// Tasks cancelled at random moments, in one session after the other. The page tells of everything that happens to it,
// with the time: nothing may happen after the cancel was answered, and the next task of the session has to run.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Step } from '@pilothouse/contract';
import { type Client, createClient, isApiError } from '@pilothouse/sdk';
import type { Office } from '../../testkit/pages/office.ts';
import { createRandom, type Random } from '../../testkit/random.ts';

const CANCELLED_MS = 2000;
/** How long after the cancel the page is listened to. */
const LISTEN_MS = 250;
const NEXT_MS = 15_000;
/** Long enough that some tasks are cancelled before they begin, most in the middle, and some too late. */
const AFTER_MS = 2500;
/** A new session now and then: its first task opens a browser, and may be cancelled while it does. */
const ROUNDS_A_SESSION = 10;

export type CancelResult = {
  cancels: number;
  /** What each task was doing. */
  during: Record<string, number>;
  answered_ms: { p50: number; p95: number; max: number };
  answered_late: number;
  acts_after: string[];
  events: number;
  next_failed: string[];
  next_ms: { p50: number; p95: number; max: number };
};

type Options = { baseUrl: string; office: Office; cancels: number; seed: number };

export async function cancelAtRandom({ baseUrl, office, cancels, seed }: Options): Promise<CancelResult> {
  const random = createRandom(seed);
  const client = createClient({ baseUrl });
  const answered: number[] = [];
  const nexts: number[] = [];
  const result: CancelResult = {
    cancels: 0,
    during: {},
    answered_ms: spread([]),
    answered_late: 0,
    acts_after: [],
    events: 0,
    next_failed: [],
    next_ms: spread([]),
  };
  let sessionId: string | undefined;
  for (let round = 0; result.cancels < cancels; round++) {
    if (round % ROUNDS_A_SESSION === 0) {
      if (sessionId) await client.deleteSession({ id: sessionId });
      sessionId = undefined;
    }
    office.happenings.length = 0;
    const steps = randomSteps(office.url, random);
    const { task_id, session_id } = await client.sendChat({ prompt: 'work', session_id: sessionId, steps });
    sessionId = session_id;
    await sleep(random.between(0, AFTER_MS));
    const cutAt = performance.now();
    const cancelled = await client.cancelTask({ id: task_id }).catch(endedBefore);
    const answeredAt = performance.timeOrigin + performance.now();
    if (!cancelled) continue;
    const ms = performance.now() - cutAt;
    answered.push(ms);
    result.cancels += 1;
    if (cancelled.status.status !== 'cancelled' || ms > CANCELLED_MS) result.answered_late += 1;
    const doing = steps[cancelled.status.current_step - 1]?.action ?? 'nothing yet';
    result.during[doing] = (result.during[doing] ?? 0) + 1;
    await sleep(LISTEN_MS);
    for (const { kind, at } of office.happenings.filter((one) => one.at > answeredAt)) {
      result.acts_after.push(`${kind} ${(at - answeredAt).toFixed(1)} ms after, in ${doing}`);
    }
    result.events += office.happenings.length;
    const next = await runNext(client, session_id);
    if (next.error === undefined) nexts.push(next.ms);
    else result.next_failed.push(next.error);
  }
  if (sessionId) await client.deleteSession({ id: sessionId });
  return { ...result, answered_ms: spread(answered), next_ms: spread(nexts) };
}

/** The next task of the session, from the request to its end. */
async function runNext(client: Client, session_id: string): Promise<{ ms: number; error?: string }> {
  const begun = performance.now();
  const { task_id } = await client.sendChat({ prompt: 'next', session_id, steps: [{ action: 'screenshot' }] });
  const ms = () => performance.now() - begun;
  while (ms() < NEXT_MS) {
    const { status } = await client.getTaskStatus({ id: task_id });
    if (status.status === 'success') return { ms: ms() };
    if (status.status === 'failed') return { ms: ms(), error: status.last_error ?? 'failed' };
    await sleep(50);
  }
  return { ms: ms(), error: `did not end within ${NEXT_MS} ms` };
}

/** It was quicker than the cancel: then there is nothing to see. */
function endedBefore(error: unknown): undefined {
  if (isApiError(error, 'conflict')) return undefined;
  throw error;
}

function randomSteps(url: string, random: Random): Step[] {
  const some = Array.from({ length: 12 }, () =>
    random.pick<Step>([
      { action: 'type', target: 'Note', text: 'words '.repeat(50) },
      { action: 'select', target: 'List', option: 'Blue' },
      { action: 'click', target: { css: 'h1' } },
      { action: 'scroll', delta_y: 700 },
      { action: 'navigate', url: `${url}/?slow_ms=300` },
      { action: 'wait', for: { secs: 1 } },
      { action: 'click', target: 'Never there' },
    ]),
  );
  return [{ action: 'navigate', url }, ...some];
}

function spread(values: number[]) {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (part: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0);
  return { p50: at(0.5), p95: at(0.95), max: at(1) };
}
