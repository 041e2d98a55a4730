// A whole installation whose agents ask a scripted model over HTTP, with two sites that count what is done to them, and those of
// the evals. Every task has a mind of its own, found by the name in its prompt.

import { setTimeout as sleep } from 'node:timers/promises';
import { isTerminal, type TaskStatus } from '@pilothouse/contract';
import { type Client, createClient } from '@pilothouse/sdk';
import type pg from 'pg';
import { tokenOf } from '../../testkit/evals/setting.ts';
import type { Entry } from '../../testkit/models/books.ts';
import type { Mind, MindRequest } from '../../testkit/models/mind.ts';
import { pricesOf } from '../../testkit/models/prices.ts';
import { type ModelServer, startModelServer } from '../../testkit/models/server.ts';
import { type Site as CountingSite, startCountingSite } from '../../testkit/pages/counter.ts';
import { startSite, type Site as TouchedSite } from '../../testkit/pages/takeover.ts';
import { type Sites, startSites } from '../../testkit/sites/sites.ts';
import { freePort } from '../../testkit/stack/ports.ts';
import type { Stack } from '../../testkit/stack/stack.ts';
import { insist } from '../tasks/person.ts';
import { withDatabase } from '../tasks/run.ts';

type Limits = { max_steps?: number; max_tokens?: number; max_cost?: number };
export type House = {
  stack: Stack;
  client: Client;
  model: ModelServer;
  /** Forms that count how often each was sent. */
  forms: CountingSite;
  /** A button that says when it was pressed. */
  button: TouchedSite;
  /** Those of the evals, whose tasks are found by their tokens. */
  sites: Sites;
  minds: Map<string, Mind>;
  /** Begins a task in words that this mind decides. The name has to be new. */
  begin(name: string, mind: Mind, sessionId?: string, limits?: Limits): Promise<{ taskId: string; sessionId: string }>;
  /** The requests of one task, oldest first. */
  booksOf(name: string): Entry[];
  rows<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]>;
};

const endMs = 120_000;
/** Longer than a model thinks here; what says nothing for ever ends after it. */
const modelTimeoutSecs = 35;

/** The name of the task that a request is for. */
export const nameOf = ({ messages }: MindRequest): string =>
  /\[([a-z0-9-]+)\]/.exec(messages[0]?.text ?? '')?.[1] ?? '';

/** How many decisions the model is told of. */
export const decisionsIn = ({ messages }: MindRequest): number =>
  messages.filter(({ role }) => role === 'assistant').length;

export async function withHouse<T>(stack: Stack, work: (house: House) => Promise<T>): Promise<T> {
  const parts = new AsyncDisposableStack();
  try {
    return await work(await openHouse(stack, parts));
  } finally {
    await parts.disposeAsync();
  }
}

async function openHouse(stack: Stack, parts: AsyncDisposableStack): Promise<House> {
  const minds = new Map<string, Mind>();
  const nobody: Mind = () => ({ fault: 'status', status: 500, message: 'No mind has this name.' });
  const closing = <P extends { close(): Promise<void> }>(part: P): P => parts.adopt(part, (one) => one.close());
  const forms = closing(await startCountingSite());
  const button = closing(await startSite());
  const visited = closing(await startSites());
  const mindOf = (request: MindRequest) => minds.get(tokenOf(request) ?? nameOf(request)) ?? nobody;
  const model = closing(await startModelServer((request) => mindOf(request)(request)));
  parts.defer(
    setForNow({
      MODELS: `local=${model.addresses.chat}#scripted`,
      MODEL_PRICES: pricesOf(['local']),
      MODEL_TIMEOUT_SECS: String(modelTimeoutSecs),
      AGENT_LEASE_SECS: '2',
      HOST_LEASE_SECS: '5',
      QUOTA_OPEN_SESSIONS: '1000',
      QUOTA_OPEN_TASKS: '1000',
    }),
  );
  const port = await freePort();
  const sites = [forms.url, button.url, visited.url];
  await stack.up({ port, servers: 1, agents: 2, browsers: 2, disableAuth: true, sites });
  const client = createClient({ baseUrl: `http://127.0.0.1:${port}` });
  // What is measured is what survives; nobody is there to say yes.
  await client.setPolicy({ mode: 'free' });
  return {
    stack,
    client,
    model,
    forms,
    button,
    sites: visited,
    minds,
    async begin(name, mind, sessionId, limits) {
      minds.set(name, mind);
      const request = { prompt: `Do the work [${name}].`, planner: 'llm', session_id: sessionId, ...limits } as const;
      const send = () => client.sendChat(request, { idempotencyKey: name, timeoutMs: 10_000 });
      const chat = await insist(send, AbortSignal.timeout(endMs));
      return { taskId: chat.task_id, sessionId: chat.session_id };
    },
    booksOf: (name) => model.books.filter(({ request }) => nameOf(request) === name),
    rows: (text, values) => withDatabase(stack, async (db) => (await db.query(text, values)).rows),
  };
}

/** Settings of the processes that are started; what it returns puts back those of before. */
function setForNow(settings: Record<string, string>): () => void {
  const before = Object.keys(settings).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, settings);
  return () => {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  };
}

/** Polls until the task has ended, and lets a person answer what it asks. Undefined where it did not end in time. */
export async function ended(
  { client }: House,
  taskId: string,
  { answer, withinMs = endMs }: { answer?: (status: TaskStatus) => Promise<void>; withinMs?: number } = {},
): Promise<TaskStatus | undefined> {
  const signal = AbortSignal.timeout(withinMs);
  while (!signal.aborted) {
    const asked = insist(() => client.getTaskStatus({ id: taskId }, { timeoutMs: 10_000 }), signal);
    const status = await asked.then(
      (answer) => answer.status,
      (error: unknown) => {
        // The time was over while the server was away: the task is named as one that did not end.
        if (!signal.aborted) throw error;
      },
    );
    if (!status) break;
    if (isTerminal(status.status)) return status;
    if (status.question && answer) await answer(status);
    await sleep(100);
  }
  return undefined;
}

/** Asks again every few milliseconds; throws where it is not so in time. */
export async function soon<T>(
  what: string,
  ask: () => T | undefined | false | Promise<T | undefined | false>,
  withinMs = 30_000,
): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const found = await ask();
    if (found) return found;
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await sleep(5);
  }
}

export function share(times: readonly number[], part: number): number {
  const sorted = times.toSorted((one, other) => one - other);
  return Math.round(sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN);
}
