import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { newId, type Store } from '@pilothouse/store';
import { isDue, takeRun } from '@pilothouse/store/testing/runs';
import { until } from '../../../../testkit/until.ts';
import { drive } from '../../../browser/testing/host.ts';
import { type Runtime, startRuntime } from '../../testing/runtime.ts';
import { createBrowsers } from '../browsers/browsers.ts';
import { createLedger } from '../ledger/ledger.ts';
import { startIdleBrowsers } from './idle-browsers.ts';
import { startWaitingTasks } from './waiting-tasks.ts';

describe('tasks that wait for a person', () => {
  let runtime: Runtime;
  let host: Awaited<ReturnType<Runtime['addHost']>>;
  let server: Server;
  let site: string;
  before(async () => {
    // Each page says its own name.
    server = createServer(({ url = '' }, response) => {
      response.setHeader('content-type', 'text/html').end(`<title>${url.slice(1)}</title><p>${url.slice(1)}`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    runtime = await startRuntime({ hosts: ['p1'] });
    host = await runtime.addHost('p1');
  });
  after(async () => {
    await host?.close();
    await runtime?.close();
    server?.closeAllConnections();
    server?.close();
  });

  /** One with a browser on a page of its own, which asks and waits for the word "Ready". */
  async function asking({ expiresInSecs = 3600 } = {}) {
    const { store } = runtime;
    const sessionId = await runtime.newSession();
    const epoch = await runtime.open(sessionId, 'p1', host.bootId);
    const driver = drive(runtime.bus, 'p1', sessionId);
    const { id } = await runtime.newTask(sessionId);
    const claimed = await takeRun(store, id);
    const begun = await store.change(sessionId, (tx) => store.tasks.beginExecution(tx, id, newId()));
    assert.ok(begun);
    const question = { text: 'Ready?', stepId: 'step-1', expiresInSecs };
    const held = { id, executionId: begun.executionId };
    await store.change(sessionId, (tx) => store.questions.ask(tx, held, question, { text: 'Ready' }));
    assert.equal(await store.queue.rest(claimed), false);
    const task = async () => {
      const row = await store.tasks.atWork(id);
      assert.ok(row);
      return row;
    };
    return { id, sessionId, epoch, driver, task };
  }
  /** Two agents look, as in a larger installation. */
  async function whileSwept(watch: () => Promise<void>, onLook = (_pages: number) => {}): Promise<void> {
    const { store, bus, log } = runtime;
    const takeUnlooked: Store['waits']['takeUnlooked'] = async (...given) => {
      const taken = await store.waits.takeUnlooked(...given);
      onLook(taken.length);
      return taken;
    };
    const parts = {
      store: { ...store, waits: { ...store.waits, takeUnlooked } },
      log,
      browsers: createBrowsers({ store, bus, log }),
      ledger: createLedger({ store, questionSecs: 1, fileBytesPerUser: 1_000_000 }),
    };
    const two = [1, 2].map(() => startWaitingTasks({ ...parts, everyMs: 200 }));
    await watch().finally(() => Promise.all(two.map((one) => one.close())));
  }
  it('go on once the page shows what they wait for, and are due', async () => {
    const { id, driver, task, epoch } = await asking();
    let looks = 0;
    const onLook = (pages: number) => {
      looks += pages;
    };
    await whileSwept(async () => {
      await driver.act({ action: 'navigate', url: `${site}/Waiting` }, { epoch });
      const before = looks;
      // With the third look, one of the two agents has finished one.
      await until(() => looks >= before + 3, 20_000);
      assert.equal((await task()).status, 'awaiting_user');
      await runtime.store.transaction(({ client }) =>
        client.query(
          `update tasks set started_at = started_at - interval '1 minute', paused_at = paused_at - interval '1 minute'
           where id = $1`,
          [id],
        ),
      );
      await driver.act({ action: 'navigate', url: `${site}/Ready` }, { epoch });
      await until(async () => (await task()).status === 'running', 10_000);
    }, onLook);
    const { question, answers, paused_at, paused_ms, worked_ms } = await task();
    assert.deepEqual([question, paused_at], [null, null]);
    assert.equal((answers as { text: string | null }[])[0]?.text, null);
    assert.ok(paused_ms >= 60_000, `a person had it for ${paused_ms} ms`);
    assert.ok(worked_ms < 30_000, `that does not count as work: ${worked_ms} ms`);
    assert.ok(await isDue(runtime.store, id));
  });

  it('fail when no answer comes in time, and their session rests', async () => {
    const { id, task, sessionId } = await asking({ expiresInSecs: 1 });
    await whileSwept(() => until(async () => (await task()).status === 'failed', 10_000));
    assert.equal((await task()).last_error, 'No answer came in time.');
    assert.equal((await runtime.store.sessions.byId(sessionId))?.status, 'idle');
    assert.ok(!(await isDue(runtime.store, id)));
  });

  it('give up their browser after a while and keep its state, unless a viewer watches', async () => {
    const { store, bus, log } = runtime;
    const [one, watched] = [await asking(), await asking()];
    await watched.driver.tell({ type: 'watch', for_ms: 20_000 });
    await one.driver.act({ action: 'navigate', url: `${site}/Here` }, { epoch: one.epoch });
    const parking = startIdleBrowsers({ bus, store, log, idleMs: 600_000, waitMs: 500, everyMs: 50 });
    try {
      await until(async () => (await store.browsers.of(one.sessionId))?.host_id === null, 10_000);
      await until(async () => !!(await store.transaction((tx) => store.browsers.stateOf(tx, one.sessionId))), 5000);
    } finally {
      await parking.close();
    }
    assert.equal((await one.task()).status, 'awaiting_user');
    assert.equal((await store.sessions.byId(one.sessionId))?.browser, 'cold');
    assert.equal((await store.browsers.of(watched.sessionId))?.host_id, 'p1');
    await runtime.open(one.sessionId, 'p1', host.bootId);
    const { epoch = 0 } = (await store.browsers.of(one.sessionId)) ?? {};
    const { acted } = await one.driver.act({ action: 'screenshot' }, { epoch });
    assert.equal(acted.after.title, 'Here');
  });
});
