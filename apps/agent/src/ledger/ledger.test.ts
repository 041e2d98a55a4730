import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Acted } from '@pilothouse/bus';
import type { Step } from '@pilothouse/contract';
import { localUser, newId, type Store } from '@pilothouse/store';
import { isDue, takeRun } from '@pilothouse/store/testing/runs';
import { Registry } from 'prom-client';
import { acted as actedOutcome, hostId } from '../../testing/scripted-browsers.ts';
import { type BenchTask, click, openBench, settings } from '../../testing/task-bench.ts';
import { FileQuotaExceeded } from './evidence.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { createLedgerCounts } from './ledger-metrics.ts';
import { TaskNotHeld, type Turn } from './turn.ts';

const handle = { hostId, epoch: 1, openedEpoch: 1 };
const image = new Uint8Array([1, 2, 3]);
const picture: Acted['picture'] = {
  content_type: 'image/jpeg',
  width: 10,
  height: 10,
  device_scale: 1,
  route: { session: 's', page: null, frame: null, url: 'https://shop.test/', title: 'Shop' },
  private: false,
  epoch: 1,
};
const actedWith = (more: Partial<Acted>): Acted => {
  const outcome = actedOutcome({ picture, ...more });
  assert.ok(outcome.type === 'acted');
  return outcome.acted;
};

describe('the ledger', () => {
  let bench: Awaited<ReturnType<typeof openBench>>;
  let store: Store;
  let ledger: Ledger;
  before(async () => {
    bench = await openBench();
    ({ store } = bench);
    ledger = createLedger({ store, questionSecs: 60, fileBytesPerUser: 10_000 });
  });
  after(() => bench?.close());

  /** The turn of the first step, by an agent that has the task. */
  async function begin(step: Step = click(), { store: used = store } = {}): Promise<{ task: BenchTask; turn: Turn }> {
    const task = await bench.newTask([step]);
    const executionId = await task.earlierRun();
    const row = await used.tasks.byId(task.id);
    assert.ok(row);
    const session = { id: task.sessionId, viewport: { width: 1, height: 1 }, reach: { allow: null, deny: [] } };
    const known = { task: row, session, executionId, settings, steps: [step], index: 1, step };
    const { signal } = new AbortController();
    return {
      task,
      turn: {
        ...known,
        attempts: [],
        standing: { policy: null, isAdmin: false, hasApprovals: false, hasTypedSecrets: false },
        attemptsOfTask: 0,
        leftMs: 60_000,
        signal,
      },
    };
  }
  const eventsOf = async ({ sessionId }: BenchTask) => store.events.last(sessionId, 100);
  const kindsOf = async (task: BenchTask) => (await eventsOf(task)).map(({ kind }) => kind);

  it('has the intent before the host is asked: an open attempt, its command id, and a line in the log', async () => {
    const task = await bench.newTask([click()]);
    let seen: unknown[] = [];
    const run = task.run({
      replies: [
        async ({ command }) => {
          const [attempt] = await store.steps.of(task.id);
          seen = [attempt?.status, attempt?.command_id === command.commandId, await task.logs()];
          return actedOutcome();
        },
      ],
    });
    await run.tick();
    assert.deepEqual(seen, ['running', true, ['Step 1 of 1: Click "Buy"']]);
  });

  it('has the effect, the evidence, the state of the browser and the events from one transaction', async () => {
    const { task, turn } = await begin({ action: 'extract', kind: 'text', as: 'price' });
    const attempt = await ledger.intend(turn, handle);
    const state = { storage: { cookies: [] }, pages: [] };
    await ledger.succeed(turn, attempt, { acted: actedWith({ data: '12', state }), image, file: null });
    const { rows } = await task.sql(
      `select 'step' as what, xmin::text from steps where task_id = $1
       union all select 'observation', xmin::text from observations where task_id = $1
       union all select 'frame', f.xmin::text from frames f join tasks t on t.session_id = f.session_id where t.id = $1
       union all select 'browser', b.xmin::text from browsers b join tasks t on t.session_id = b.session_id where t.id = $1
       union all select 'event', e.xmin::text from events e where e.task_id = $1 and e.kind in ('overlay', 'agent_history')`,
    );
    assert.deepEqual(
      Object.entries(Object.groupBy(rows, ({ what }) => what)).map(([what, all]) => [what, all?.length]),
      [
        ['step', 1],
        ['observation', 2],
        ['frame', 1],
        ['browser', 1],
        ['event', 2],
      ],
    );
    assert.equal(new Set(rows.map(({ xmin }) => xmin)).size, 1);
  });

  it('counts steps and tasks that ended, and none whose transaction was rolled back', async () => {
    const metrics = new Registry();
    const counts = createLedgerCounts(metrics);
    const counting = createLedger({ store, questionSecs: 60, fileBytesPerUser: 10_000, counts });
    const { task, turn } = await begin();
    const attempt = await counting.intend(turn, handle);
    const file = { id: newId(), name: 'a.txt', contentType: 'text/plain', blobKey: `x/${newId()}`, byteLen: 20_000 };
    const tooLarge = { acted: actedWith({}), image, file };
    await assert.rejects(counting.succeed(turn, attempt, tooLarge), FileQuotaExceeded);
    assert.doesNotMatch(await metrics.metrics(), /^pilothouse_steps_total\{/m);
    await counting.fail(turn, attempt, { status: 'failed', error: 'covered' });
    const second = await counting.intend(turn, handle);
    await counting.succeed(turn, second, { acted: actedWith({}), image, file: null });
    const ending = { id: task.id, sessionId: task.sessionId, executionId: turn.executionId };
    assert.ok(await counting.endTask(ending, { move: 'fail', reason: 'enough' }));
    assert.ok(!(await counting.endTask(ending, { move: 'fail', reason: 'enough' })), 'it has ended');
    const text = await metrics.metrics();
    assert.match(text, /^pilothouse_steps_total\{action="click",outcome="failed"\} 1$/m);
    assert.match(text, /^pilothouse_steps_total\{action="click",outcome="success"\} 1$/m);
    assert.match(text, /^pilothouse_step_seconds_count\{outcome="success"\} 1$/m);
    assert.match(text, /^pilothouse_step_seconds_count\{outcome="interrupted"\} 0$/m);
    assert.match(text, /^pilothouse_tasks_ended_total\{status="failed"\} 1$/m);
  });

  it('tells a step in order: status, intent and its line; then effect, history and its line; then what was seen', async () => {
    const { task, turn } = await begin();
    const attempt = await ledger.intend(turn, handle);
    const after = { url: 'https://shop.test/next', title: 'Next' };
    await ledger.succeed(turn, attempt, { acted: actedWith({ after }), image, file: null });
    assert.deepEqual(await kindsOf(task), [
      'status',
      'step',
      'log',
      'step',
      'agent_history',
      'log',
      'overlay',
      'observation',
      'route',
    ]);
  });

  it('puts the bytes of a picture down before the row that points to them', async () => {
    let statusAtPut: string[] = [];
    const { task, turn } = await begin();
    const watched: Store = {
      ...store,
      blobs: {
        ...store.blobs,
        put: async (...given) => {
          await store.blobs.put(...given);
          statusAtPut = await task.attempts();
        },
      },
    };
    const watching = createLedger({ store: watched, questionSecs: 60, fileBytesPerUser: 10_000 });
    await watching.succeed(turn, await watching.intend(turn, handle), { acted: actedWith({}), image, file: null });
    assert.deepEqual(statusAtPut, ['1 running']);
  });

  it('writes nothing for an agent that no longer has the task, and removes the bytes of its picture', async () => {
    const { task, turn } = await begin();
    const keys: string[] = [];
    const blobs = {
      ...store.blobs,
      put: async (key: string, bytes: Uint8Array) => {
        keys.push(key);
        await store.blobs.put(key, bytes);
      },
    };
    const watching = createLedger({ store: { ...store, blobs }, questionSecs: 60, fileBytesPerUser: 10_000 });
    const attempt = await watching.intend(turn, handle);
    await task.earlierRun();
    const events = await kindsOf(task);
    await assert.rejects(watching.succeed(turn, attempt, { acted: actedWith({}), image, file: null }), TaskNotHeld);
    assert.deepEqual(await task.attempts(), ['1 running']);
    assert.deepEqual(await kindsOf(task), events);
    assert.equal(await store.blobs.get(keys[0] ?? ''), undefined);
  });

  it('keeps nothing of a step whose file exceeds the quota, neither rows nor bytes', async () => {
    const { task, turn } = await begin({ action: 'download', target: 'List' });
    const attempt = await ledger.intend(turn, handle);
    const blobKey = `sessions/${task.sessionId}/files/${newId()}`;
    await store.blobs.put(blobKey, image);
    const file = { id: newId(), name: 'list.csv', blobKey, byteLen: 1_000_000 };
    await assert.rejects(ledger.succeed(turn, attempt, { acted: actedWith({}), image, file }), FileQuotaExceeded);
    assert.deepEqual(await task.attempts(), ['1 running']);
    assert.deepEqual(await store.files.listOf(task.id), []);
    assert.equal(await store.blobs.get(blobKey), undefined);
  });

  it('takes up an attempt that is open, and does not begin a second', async () => {
    const { task, turn } = await begin();
    const first = await ledger.intend(turn, handle);
    const second = await ledger.intend(turn, handle, { open: first });
    assert.equal(second.command_id, first.command_id);
    assert.deepEqual(await task.attempts(), ['1 running']);
  });

  it('ends an attempt once: who comes second changes nothing', async () => {
    const { task, turn } = await begin();
    const attempt = await ledger.intend(turn, handle);
    await ledger.fail(turn, attempt, { status: 'failed', error: 'covered' });
    await assert.rejects(ledger.succeedWithoutBrowser(turn, attempt), TaskNotHeld);
    assert.deepEqual(await task.attempts(), ['1 failed']);
  });

  it('keeps the state of a browser only under the epoch that acted', async () => {
    const { task, turn } = await begin();
    const attempt = await ledger.intend(turn, handle);
    await store.transaction((tx) => store.browsers.fence(tx, task.sessionId));
    const state = { storage: { stale: true }, pages: [] };
    await ledger.succeed(turn, attempt, { acted: actedWith({ state }), image, file: null });
    assert.equal(await store.transaction((tx) => store.browsers.stateOf(tx, task.sessionId)), null);
  });

  it('begins no attempt for a question about a step, and one for a step that is a question', async () => {
    const { task, turn } = await begin();
    await ledger.ask(turn, { text: 'Sure?', until: null }, { isStep: false });
    assert.deepEqual(await task.attempts(), []);
    const asking = await begin({ action: 'ask', question: 'Which?' });
    await ledger.ask(asking.turn, { text: 'Which?', until: null }, { isStep: true });
    assert.deepEqual(await asking.task.attempts(), ['1 running']);
  });

  it('takes the page for an answer only while the question stands', async () => {
    const { task, turn } = await begin();
    await ledger.ask(turn, { text: 'Sure?', until: { text: 'Ready' } }, { isStep: false });
    const { asked_at: askedAt } = (await task.row()).question as { asked_at: string };
    const open = { id: task.id, sessionId: task.sessionId, executionId: turn.executionId, askedAt };
    await takeRun(store, task.id);
    await ledger.settled({ ...open, askedAt: '2020-01-01T00:00:00.000Z' });
    assert.deepEqual([(await task.row()).status, await isDue(store, task.id)], ['awaiting_user', false]);
    await ledger.settled(open);
    await ledger.settled(open);
    assert.deepEqual([(await task.row()).status, await isDue(store, task.id)], ['running', true]);
    assert.equal(((await task.row()).answers as unknown[]).length, 1);
  });

  describe('at the end of a task', () => {
    const ending = ({ task, turn }: { task: BenchTask; turn: Turn }) => ({
      id: task.id,
      sessionId: task.sessionId,
      executionId: turn.executionId,
    });

    it('interrupts what is open, tells the status last, and lets the session rest', async () => {
      const one = await begin();
      await ledger.intend(one.turn, handle);
      assert.equal(await ledger.endTask(ending(one), { move: 'fail', reason: 'why' }), true);
      assert.deepEqual(await one.task.attempts(), ['1 interrupted']);
      const events = await eventsOf(one.task);
      assert.equal(events.findLast(({ task_id }) => task_id === one.task.id)?.kind, 'status');
      assert.equal((await store.sessions.byId(one.task.sessionId))?.status, 'idle');
      assert.ok((await one.task.logs()).includes('The task failed: why'));
    });

    it('changes nothing for an agent that no longer has the task', async () => {
      const one = await begin();
      await one.task.earlierRun();
      const events = await kindsOf(one.task);
      assert.equal(await ledger.endTask(ending(one), { move: 'fail', reason: 'why' }), false);
      assert.equal((await one.task.row()).status, 'running');
      assert.deepEqual(await kindsOf(one.task), events);
    });

    it('leaves a task to a person who took it in the same moment', async () => {
      const one = await begin();
      await one.task.activateTakeover(await one.task.requestTakeover());
      const result = { summary: 's', data: null, files: [] };
      for (const how of [{ move: 'finish', result } as const, { move: 'fail', reason: 'why' } as const])
        assert.equal(await ledger.endTask({ ...ending(one), isAtWork: true }, how), false);
      assert.equal((await one.task.row()).status, 'takeover');
    });

    it('makes the next task of the session due, and undoes everything where that fails', async () => {
      const one = await begin();
      const next = newId();
      await store.change(one.task.sessionId, async (tx) => {
        const given = { id: next, sessionId: one.task.sessionId, title: 't', prompt: 'p', plan: { steps: [] } };
        await store.tasks.create(tx, localUser, { ...given, settings: {}, totalSteps: 0 });
      });
      assert.equal(await isDue(store, next), false);
      const refuse = `create function refuse() returns trigger language plpgsql as
        $$ begin if new.run_due_at is not null then raise 'not due'; end if; return new; end $$;
        create trigger refuse before update on tasks for each row execute function refuse()`;
      await one.task.sql(refuse, []);
      await assert.rejects(ledger.endTask(ending(one), { move: 'fail', reason: 'why' }), /not due/);
      assert.equal((await one.task.row()).status, 'running');
      await one.task.sql('drop trigger refuse on tasks', []);
      assert.equal(await ledger.endTask(ending(one), { move: 'fail', reason: 'why' }), true);
      assert.equal(await isDue(store, next), true);
    });
  });
});
