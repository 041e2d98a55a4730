// Tables of "what is in the rows, and what came back: what happens next", on a real database with scripted browsers.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Step, Task } from '@pilothouse/contract';
import { createLog } from '@pilothouse/process';
import {
  localUser,
  type ModelLimits,
  newId,
  openStore,
  questionOf,
  type Store,
  type TakeoverRow,
} from '@pilothouse/store';
import { createTestDatabase } from '@pilothouse/store/testing';
import { takeRun } from '@pilothouse/store/testing/runs';
import { createLedger } from '../src/ledger/ledger.ts';
import type { Next } from '../src/ledger/turn.ts';
import type { ModelRequest } from '../src/model/types.ts';
import type { Files } from '../src/task/files.ts';
import { createRun, type Run } from '../src/task/run.ts';
import { bootId, hostId, type Script, scriptBrowsers } from './scripted-browsers.ts';
import { type Said, scriptMind } from './scripted-mind.ts';

type Settings = Task['settings'];
type Effect = Parameters<Store['steps']['end']>[3];

export type Bench = {
  store: Store;
  newTask: (steps: Step[] | 'open', settings?: Partial<Settings>) => Promise<BenchTask>;
};

export type Case = {
  /** A sentence: what is so, and what happens then. */
  name: string;
  /** Those of a script; none where a model decides. */
  steps?: Step[];
  settings?: Partial<Settings>;
  /** What is in the rows before the run begins. */
  rows?: (task: BenchTask) => Promise<unknown>;
  /** What comes back from the browser. */
  script?: (task: BenchTask) => Script;
  files?: (task: BenchTask) => Partial<Files>;
  /** What a model answers, call by call. The steps of the task are then not given but decided. */
  answers?: (task: BenchTask) => Said[];
  /** How far apart two looks at a page at rest are; 0 unless given. */
  settleMs?: number;
  /** What models may use for one person in a day; no limit unless given. */
  modelLimits?: ModelLimits;
  judgeModel?: string;
  /** How many ticks there are at most; the run ends sooner where a tick says `done` or `wait`. */
  ticks?: number;
  expect: Expected;
  /** What else has to hold. */
  also?: (task: BenchTask, played: Played) => unknown;
};
type Expected = {
  nexts?: Next[];
  status?: string;
  /** The last error of the task. */
  error?: RegExp | null;
  /** Each attempt in the ledger: step, status, and whether the page may have been touched. */
  attempts?: string[];
  /** What the hosts were asked, in order, with the epoch. */
  calls?: string[];
  question?: RegExp | null;
  /** Each is part of a line of the task's log. */
  logs?: string[];
};
export type Played = {
  requests: ModelRequest[];
  nexts: Next[];
  calls: string[];
  commandIds: (string | undefined)[];
  deadlines: number[];
};

const log = createLog('agent', 'silent');
const profileKeys = [Buffer.alloc(32, 7)];
const viewport = { width: 1280, height: 720 };
export const settings: Settings = {
  planner: 'script',
  model: null,
  current_url: null,
  constraints: [],
  allowed_domains: null,
  output_schema: null,
  max_steps: 100,
  time_limit_secs: 600,
};
const noFiles: Files = {
  fetch: () => Promise.reject(new Error('no file is expected')),
  send: () => Promise.reject(new Error('no file is expected')),
};

export async function openBench(): Promise<Bench & { close(): Promise<void> }> {
  const database = await createTestDatabase();
  const blobDir = await mkdtemp(join(tmpdir(), 'pilothouse-agent-'));
  const store = openStore({ url: database.url, blobDir, poolSize: 10, profileKeys, onError: () => {} });
  await store.users.ensureLocal();
  await store.hosts.renew({ hostId, bootId, capacity: 1000, sessions: [], leaseMs: 3_600_000 });
  return {
    store,
    newTask: (steps, more) => createBenchTask(store, steps, { ...settings, ...more }),
    async close() {
      await store.close();
      await database.close();
      await rm(blobDir, { recursive: true });
    },
  };
}

/** A task whose session has a browser, open under epoch 1. */
async function createBenchTask(store: Store, given: Step[] | 'open', taskSettings: Settings) {
  const steps = given === 'open' ? [] : given;
  const [id, sessionId] = [newId(), newId()];
  await store.change(sessionId, async (tx) => {
    await store.sessions.create(tx, localUser, { id: sessionId, viewport, recording: false });
    const task = { id, sessionId, title: 't', prompt: 'p', plan: { steps }, settings: taskSettings };
    await store.tasks.create(tx, localUser, { ...task, totalSteps: given === 'open' ? null : steps.length });
    await store.browsers.assign(tx, sessionId, { id: hostId, bootId, reach: { allow: null, deny: [] } }, 0);
    await store.sessions.setBrowser(tx, sessionId, 'live');
  });
  const sql = (text: string, values: unknown[] = [id]) => store.transaction(({ client }) => client.query(text, values));
  const row = async () => {
    const task = await store.tasks.byId(id);
    assert.ok(task);
    return task;
  };

  return {
    id,
    sessionId,
    store,
    sql,
    row,

    /** A run of this task by an agent. Its signal is aborted when the agent stops. */
    run(
      script: Script,
      {
        agentId = newId(),
        files = {},
        answers = [],
        signal = new AbortController().signal,
        settleMs = 0,
        modelLimits,
        judgeModel,
      }: RunOptions = {},
    ) {
      const scripted = scriptBrowsers(store, script);
      const ledger = createLedger({ store, questionSecs: 60, fileBytesPerUser: 1024 ** 2 });
      const { browsers } = scripted;
      const { mind, requests, left: unsaid } = scriptMind(answers);
      const parts = {
        store,
        browsers,
        ledger,
        mind,
        files: { ...noFiles, ...files },
        agentId,
        log,
        signal,
        settleMs,
        modelLimits,
        judgeModel,
      };
      let run: Run | undefined;
      /** The task is taken with the first tick. */
      const tick = async () => {
        run ??= createRun(parts, await takeRun(store, id, agentId));
        return run.tick();
      };
      return { ...scripted, requests, unsaid, tick };
    },

    /** As an agent that took the task before and is gone. */
    async earlierRun(): Promise<string> {
      const begun = await store.change(sessionId, async (tx) => {
        await store.sessions.move(tx, sessionId, 'work');
        return store.tasks.beginExecution(tx, id, newId());
      });
      assert.ok(begun);
      return begun.executionId;
    },

    /** An attempt in the ledger; one without an effect is still open. */
    async attempt(executionId: string, index: number, effect?: Effect, { epoch = 1 } = {}): Promise<string> {
      const commandId = newId();
      await store.transaction(async (tx) => {
        const step = { taskId: id, executionId, index, title: `Step ${index}` };
        const begun = await store.steps.begin(tx, step, { commandId, epoch });
        assert.ok(begun);
        if (effect) assert.ok(await store.steps.end(tx, step, begun.attempt.try, effect));
      });
      return commandId;
    },

    /** The task began so long ago. */
    age: (secs: number) =>
      sql(`update tasks set started_at = now() - make_interval(secs => $2) where id = $1`, [id, secs]),

    cancel: () =>
      store.change(sessionId, async (tx, append) => {
        await store.cancels.cancel(tx, append, { taskId: id }, 'not needed');
        await store.browsers.fence(tx, sessionId);
      }),

    answer: (text: string) => store.change(sessionId, (tx) => store.questions.answer(tx, id, { text })),

    /** A person asks to take over the session. */
    requestTakeover: (taskId: string | null = id) =>
      store.change(sessionId, async (tx, append) => {
        const asked = { sessionId, taskId, holderId: localUser.id, reason: null, leaseSecs: 60 };
        const takeover = await store.takeovers.request(tx, append, { ...asked, tokenHash: randomBytes(32) });
        assert.ok(takeover);
        return takeover;
      }),

    /** They have it, as a host that obeys would let them. */
    activateTakeover: ({ id: takeoverId }: TakeoverRow) =>
      store.change(sessionId, async (tx, append) => {
        const standing = await store.takeovers.standing(tx, sessionId);
        assert.equal(standing?.id, takeoverId);
        const at = standing && (await store.takeovers.stop(tx, append, standing));
        assert.ok(at);
        assert.ok(await store.takeovers.activate(tx, append, takeoverId, at.epoch));
      }),

    handBack: () =>
      store.change(sessionId, async (tx, append) => {
        const standing = await store.takeovers.standing(tx, sessionId);
        assert.ok(standing);
        assert.ok(await store.takeovers.giveBack(tx, append, standing, { outcome: 'resumed' }));
      }),

    takeover: () => store.takeovers.standingOf(sessionId),

    async attempts(): Promise<string[]> {
      return (await store.steps.of(id)).map(
        ({ index, status, may_have_acted }) => `${index} ${status}${may_have_acted ? ', may have acted' : ''}`,
      );
    },

    async logs(): Promise<string[]> {
      return (await store.logs.listOf(id, { limit: 100 })).rows.map(({ message }) => message);
    },
  };
}
export type BenchTask = Awaited<ReturnType<typeof createBenchTask>>;
type RunOptions = {
  agentId?: string;
  files?: Partial<Files>;
  answers?: Said[];
  signal?: AbortSignal;
  settleMs?: number;
  modelLimits?: ModelLimits;
  judgeModel?: string;
};

/** Ticks until one says that the run is over or waits. */
export async function play(run: Run, most = 12): Promise<Next[]> {
  const nexts: Next[] = [];
  while (nexts.length < most) {
    const next = await run.tick();
    nexts.push(next);
    if (next !== 'again') break;
  }
  return nexts;
}

/** One test a case. All cases of a file share a database; each has a session and a task of its own. */
export function describeCases(title: string, cases: Case[]): void {
  describe(title, () => {
    let bench: Awaited<ReturnType<typeof openBench>>;
    before(async () => {
      bench = await openBench();
    });
    after(() => bench?.close());
    for (const one of cases) it(one.name, () => check(bench, one));
  });
}

async function check(bench: Bench, one: Case) {
  const {
    steps = [],
    settings: more,
    rows,
    script,
    files,
    answers,
    settleMs,
    modelLimits,
    judgeModel,
    ticks,
    expect,
    also,
  } = one;
  const task = await bench.newTask(answers ? 'open' : steps, more);
  await rows?.(task);
  const run = task.run(script?.(task) ?? {}, {
    files: files?.(task),
    answers: answers?.(task),
    settleMs,
    modelLimits,
    judgeModel,
  });
  const nexts = await play(run, ticks);
  assert.deepEqual(run.faults, []);
  const { status, last_error, question } = await task.row();
  if (expect.nexts) assert.deepEqual(nexts, expect.nexts);
  if (expect.status) assert.equal(status, expect.status, last_error ?? '');
  if (expect.error === null) assert.equal(last_error, null);
  else if (expect.error) assert.match(last_error ?? '', expect.error);
  if (expect.attempts) assert.deepEqual(await task.attempts(), expect.attempts);
  if (expect.calls) assert.deepEqual(run.calls, expect.calls);
  if (expect.question === null) assert.equal(question, null);
  else if (expect.question) assert.match(questionOf({ question })?.text ?? '', expect.question);
  const logs = expect.logs ? await task.logs() : [];
  for (const part of expect.logs ?? [])
    assert.ok(
      logs.some((line) => line.includes(part)),
      `"${part}" is not in ${JSON.stringify(logs)}`,
    );
  assert.equal(run.left(), 0, 'every reply of the script was used');
  assert.equal(run.unsaid(), 0, 'every answer of the model was asked for');
  const commandIds = run.sent.map(({ command }) => command.commandId);
  await also?.(task, {
    requests: run.requests,
    nexts,
    calls: run.calls,
    commandIds,
    deadlines: run.sent.map(({ command }) => command.deadlineMs),
  });
}

export const navigate = (url = 'https://shop.test/'): Step => ({ action: 'navigate', url });
export const click = (target = 'Buy', more: { irreversible?: boolean } = {}): Step => ({
  action: 'click',
  target,
  ...more,
});
export const pay: Step = { action: 'click', target: 'Pay', irreversible: true };
