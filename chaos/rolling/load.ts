// What programs do at one address while something behind it is restarted: calls, tasks that are followed, and a browser that is held.

import { setTimeout as sleep } from 'node:timers/promises';
import type { ErrorCode, Step } from '@pilothouse/contract';
import { type Client, createClient, isApiError, takeOver } from '@pilothouse/sdk';
import { places } from '../../testkit/pages/shared-form.ts';

export type FollowedTask = { id: string; paths: string[]; seqs: number[]; ended: string };
export type Load = {
  name: string;
  calls: number;
  /** What callers got to see, with the part that was restarted then. */
  failed: string[];
  /** Answers that broke off or were those of the proxy: streams connected again, and the SDK sent what may be sent again. */
  cutBelow: number;
  connections: number;
  tasks: FollowedTask[];
  presses: number;
  /** Presses that were refused although the person drives, and the longest time until one was taken again. */
  refusedPresses: string[];
  longestRefusalMs: number;
  takeover: string;
};

type Options = {
  /** Of the address: what it leads to. */
  name: string;
  baseUrl: string;
  /** Of a site that counts its forms, and of a page with a button. */
  siteUrl: string;
  formUrl: string;
  /** What is being restarted. */
  during: () => string;
  /** The codes by which a press may be refused now: a browser is on its way to another host, or does not answer. */
  rightRefusals: () => readonly ErrorCode[];
  signal: AbortSignal;
};

const callEveryMs = 100;
const pressEveryMs = 400;
const formsOfTask = 4;
const taskMs = 180_000;
const heldSecs = 3600;

/** Resolves when it works; `ended` when the signal has ended all of it. */
export async function startLoad(options: Options): Promise<{ load: Load; ended: Promise<unknown> }> {
  const { name, baseUrl, during, signal } = options;
  const load: Load = {
    ...{ name, calls: 0, failed: [], cutBelow: 0, connections: 0, tasks: [] },
    ...{ presses: 0, refusedPresses: [], longestRefusalMs: 0, takeover: 'asked for' },
  };
  const client = createClient({ baseUrl, fetch: countingCuts(load) });
  const called = async <T>(what: string, call: () => Promise<T>): Promise<T | undefined> => {
    load.calls += 1;
    return call().catch((error: unknown) => void load.failed.push(`${during()}: ${what}: ${describe(error)}`));
  };
  const parts = { ...options, load, client, called };
  const drive = await startDriving(parts);
  const loops = [drive(), askAround(parts), runTasks(parts)];
  signal.throwIfAborted();
  return { load, ended: Promise.all(loops) };
}
type Parts = Options & {
  load: Load;
  client: Client;
  called: <T>(what: string, call: () => Promise<T>) => Promise<T | undefined>;
};

const describe = (error: unknown) =>
  error instanceof Error ? `${error.name} ${'code' in error ? error.code : ''} ${error.message}` : String(error);

function countingCuts(load: Load): typeof fetch {
  return async (input, init) => {
    try {
      const response = await fetch(input, init);
      if (response.status >= 502) load.cutBelow += 1;
      return response;
    } catch (error) {
      if (!init?.signal?.aborted) load.cutBelow += 1;
      throw error;
    }
  };
}

/** Reads and writes, none of which the SDK sends again. */
async function askAround({ client, called, signal }: Parts): Promise<void> {
  while (!signal.aborted) {
    await called('list', () => client.listSessions({ limit: 5 }));
    const made = await called('create', () => client.createSession());
    if (made) await called('delete', () => client.deleteSession({ id: made.session.id }));
    await sleep(callEveryMs);
  }
}

/** One task after the other, each followed to its end. */
async function runTasks({ name, client, called, load, siteUrl, signal }: Parts): Promise<void> {
  for (let count = 1; !signal.aborted; count += 1) {
    const paths = Array.from({ length: formsOfTask }, (_, i) => `/${name}-${count}/${i}`);
    const steps = paths.flatMap((path): Step[] => [
      { action: 'navigate', url: siteUrl + path },
      { action: 'click', target: 'Send' },
      { action: 'wait', for: { secs: 1 } },
    ]);
    const begun = await called('chat', () => client.sendChat({ prompt: `${name} ${count}`, steps }));
    if (!begun) continue;
    const task: FollowedTask = { id: begun.task_id, paths, seqs: [], ended: 'stuck' };
    load.tasks.push(task);
    const late = AbortSignal.timeout(taskMs);
    const onConnection = (state: string) => {
      if (state === 'connected') load.connections += 1;
    };
    await called('follow', async () => {
      for await (const event of client.followTask({ id: task.id }, { signal: late, onConnection }))
        if ('seq' in event && typeof event.seq === 'number') task.seqs.push(event.seq);
    });
    const read = await called('status', () => client.getTaskStatus({ id: task.id }));
    if (read)
      task.ended = read.status.status === 'success' ? 'success' : `${read.status.status} ${read.status.last_error}`;
    await called('delete', () => client.deleteSession({ id: begun.session_id }));
  }
}

/** A person who holds a browser all the time, and presses a button. Returns what goes on pressing until the end. */
async function startDriving({ client, called, load, formUrl, signal, during, rightRefusals }: Parts) {
  const { session } = await client.createSession();
  const driving = await takeOver(client, { session_id: session.id, expires_in_secs: heldSecs });
  await driving.input({ action: 'navigate', url: formUrl });
  let refusedAt: number | undefined;
  async function press(): Promise<void> {
    await driving.input({ action: 'click', ...places.mine });
    load.presses += 1;
    if (refusedAt === undefined) return;
    load.longestRefusalMs = Math.max(load.longestRefusalMs, performance.now() - refusedAt);
    refusedAt = undefined;
  }
  function noteRefusal(error: unknown): void {
    // The page is another one now: the person looks at it before they press again. They still drive, so no other refusal is right.
    const isRight = rightRefusals().some((code) => isApiError(error, code));
    (isRight ? load.refusedPresses : load.failed).push(`${during()}: press: ${describe(error)}`);
    if (isRight) refusedAt ??= performance.now();
  }
  return async () => {
    while (!signal.aborted) {
      load.calls += 1;
      await press().catch(noteRefusal);
      await sleep(pressEveryMs);
    }
    const read = await called('session', () => client.getSession({ id: session.id }));
    const now = read?.snapshot.takeover;
    const isHeld = now?.takeover_id === driving.takeover.takeover_id && now.status === 'active';
    load.takeover = isHeld ? 'held' : `lost: ${JSON.stringify(now)}`;
    if (isHeld) await called('last press', press);
  };
}
