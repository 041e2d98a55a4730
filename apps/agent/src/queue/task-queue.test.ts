import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createLog } from '@pilothouse/process';
import { localUser, newId, openStore, type Store } from '@pilothouse/store';
import { createTestDatabase, type TestDatabase } from '@pilothouse/store/testing';
import { isDue, takeRun } from '@pilothouse/store/testing/runs';
import { Registry } from 'prom-client';
import { until } from '../../../../testkit/until.ts';
import type { Next } from '../ledger/turn.ts';
import { startTaskQueue } from './task-queue.ts';

const log = createLog('agent', 'silent');
/** Never within a test: what is seen there was told. */
const never = 3_600_000;

describe('the tasks of an agent', () => {
  let database: TestDatabase;
  let store: Store;
  before(async () => {
    database = await createTestDatabase();
    store = openStore({ url: database.url, blobDir: '/nonexistent', onError: () => {} });
    await store.users.ensureLocal();
  });
  after(async () => {
    await store?.close();
    await database?.close();
  });
  const sql = (text: string, values: unknown[] = []) => store.transaction(({ client }) => client.query(text, values));
  beforeEach(() => sql(`update tasks set status = 'failed', run_due_at = null, run_agent_id = null`));

  async function newTask(): Promise<string> {
    const [id, sessionId] = [newId(), newId()];
    await store.change(sessionId, async (tx) => {
      await store.sessions.create(tx, localUser, { id: sessionId, viewport: { width: 1280, height: 720 } });
      const given = { id, sessionId, title: 't', prompt: 'p', plan: { steps: [] }, settings: {}, totalSteps: 1 };
      await store.tasks.create(tx, localUser, given);
    });
    return id;
  }
  type Options = Partial<Parameters<typeof startTaskQueue>[0]> & { tick: (id: string) => Promise<Next> };
  async function whileRunning({ tick, ...more }: Options, watch: (look: () => void) => Promise<void>): Promise<void> {
    const startRun = ({ id }: { id: string }) => ({ tick: () => tick(id) });
    const parts = { store, agentId: randomUUID(), maxRuns: 100, pollMs: never, log, metrics: new Registry(), startRun };
    const queue = startTaskQueue({ ...parts, ...more });
    await watch(queue.look).finally(queue.close);
  }

  it('begin when the agent is told, and tick until they wait', async () => {
    const ticks: string[] = [];
    let id = '';
    await whileRunning(
      {
        tick: async (of) => {
          ticks.push(of);
          return ticks.length < 3 ? 'again' : 'wait';
        },
      },
      async (look) => {
        id = await newTask();
        look();
        await until(async () => (await store.tasks.byId(id))?.is_rested === true, 5000);
      },
    );
    assert.deepEqual(ticks, [id, id, id]);
    const row = await store.tasks.byId(id);
    assert.deepEqual([row?.run_agent_id, row?.run_due_at], [null, null]);
  });

  it('begin at the next interval although the agent was not told', async () => {
    const seen: string[] = [];
    const tick = async (id: string): Promise<Next> => {
      seen.push(id);
      return 'wait';
    };
    await whileRunning({ tick, pollMs: 20 }, async () => {
      const id = await newTask();
      await until(() => seen.includes(id), 5000);
    });
  });

  it('take no place while they wait, and the next begins when one that works has ended', async () => {
    const waiting = await Promise.all(Array.from({ length: 20 }, newTask));
    const working = Promise.withResolvers<Next>();
    const seen: string[] = [];
    let isWorking = false;
    const tick = async (id: string): Promise<Next> => {
      seen.push(id);
      if (waiting.includes(id)) return 'wait';
      isWorking = true;
      return working.promise;
    };
    await whileRunning({ tick, maxRuns: 2 }, async (look) => {
      look();
      await until(() => seen.length === waiting.length, 10_000);
      const busy = [await newTask(), await newTask(), await newTask()];
      look();
      await until(() => isWorking && seen.length === waiting.length + 2, 10_000);
      const third = busy.find((id) => !seen.includes(id)) ?? '';
      assert.ok(await isDue(store, third), 'two are at work, and no more may be');
      working.resolve('wait');
      await until(() => seen.includes(third), 10_000);
    });
  });

  it('begin again at the time they wait for', async () => {
    const at: number[] = [];
    const tick = async (): Promise<Next> => {
      at.push(performance.now());
      return at.length === 1 ? { waitMs: 300 } : 'wait';
    };
    await newTask();
    const metrics = new Registry();
    await whileRunning({ tick, metrics }, () => until(() => at.length === 2, 10_000));
    const [first = 0, second = 0] = at;
    assert.ok(second - first >= 300, `${second - first} ms`);
  });

  it('are given back when the agent stops, and those it does not know of are given up', async () => {
    const agentId = randomUUID();
    const stopping = new AbortController();
    const stopped = new Promise<Next>((resolve) => stopping.signal.addEventListener('abort', () => resolve('done')));
    const strange = await newTask();
    await takeRun(store, strange, agentId);
    const seen = new Set<string>();
    const tick = (id: string): Promise<Next> => {
      seen.add(id);
      return stopped;
    };
    const metrics = new Registry();
    await whileRunning({ tick, agentId, metrics, checkMs: 50, pollMs: 50 }, async () => {
      const id = await newTask();
      await until(() => seen.has(id) && seen.has(strange), 10_000);
      const { run = 0 } = (await store.tasks.byId(strange)) ?? {};
      assert.equal(run, 2);
      const text = await metrics.metrics();
      assert.match(text, /^pilothouse_runs_taken_total\{kind="first"\} 1$/m);
      assert.match(text, /^pilothouse_runs_taken_total\{kind="again"\} 1$/m);
      assert.match(text, /^pilothouse_agent_runs\{kind="at_work"\} 2$/m);
      stopping.abort();
    });
    assert.deepEqual(await store.queue.heldBy(agentId), []);
    for (const id of seen) assert.ok(await isDue(store, id));
  });
});
