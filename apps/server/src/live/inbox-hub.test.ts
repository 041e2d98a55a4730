import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { createLog } from '@pilothouse/process';
import type { InboxState, Store } from '@pilothouse/store';
import { watchQueries } from '@pilothouse/store/testing/queries';
import { Registry } from 'prom-client';
import { until } from '../../../../testkit/until.ts';
import { startTestServer, type TestServer } from '../../testing/server.ts';
import { createInboxHub } from './inbox-hub.ts';

type Look = Store['tasks']['inboxStates'];

describe('inboxes that are watched at a server', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ isAuthDisabled: true });
  });
  after(() => server?.close());

  const openHub = (inboxStates: Look = server.store.tasks.inboxStates) =>
    createInboxHub({ store: { tasks: { inboxStates } }, log: createLog('server', 'silent'), metrics: new Registry() });

  /** Someone who watches, until `leave`. */
  function watch(hub: ReturnType<typeof openHub>, id: string, version?: string) {
    const states: InboxState[] = [];
    const ends: (() => void)[] = [];
    const lifetime = { isEnded: () => false, onEnd: (callback: () => void) => void ends.push(callback) };
    hub.watch({ id, role: 'user' }, version, (state) => states.push(state), lifetime);
    const leave = () => {
      for (const end of ends) end();
    };
    return { states, leave };
  }
  /** Lets everything that is due happen. Timers are the test's. */
  const flush = () => new Promise<void>((resolve) => setImmediate(resolve));

  it('cost two statements a second, for one watcher as for a hundred, and none without', async (test) => {
    const { mock } = test;
    mock.timers.enable({ apis: ['setTimeout'] });
    let asked = 0;
    let answered = 0;
    const hub = openHub(async (keys) => {
      asked += 1;
      const states = await server.store.tasks.inboxStates(keys);
      answered += 1;
      return states;
    });
    test.after(() => hub.close());
    const allAnswered = async () => {
      const deadline = performance.now() + 10_000;
      do {
        assert.ok(performance.now() < deadline, 'the database answers');
        await flush();
      } while (answered < asked);
      await flush();
    };
    /** Looks in two seconds. */
    const countLooks = async () => {
      const before = asked;
      for (let ms = 0; ms < 2000; ms += 100) {
        mock.timers.tick(100);
        await allAnswered();
      }
      return asked - before;
    };
    /** Those who come are looked up at once. */
    const greet = async () => {
      mock.timers.tick(20);
      await allAnswered();
    };

    assert.equal(await countLooks(), 0);
    const watchers = [watch(hub, randomUUID())];
    await greet();
    assert.equal(await countLooks(), 4);
    for (let n = 1; n < 100; n += 1) watchers.push(watch(hub, randomUUID()));
    await greet();
    assert.ok(watchers.every(({ states }) => states.length === 1));
    assert.equal(await countLooks(), 4);
    for (const { leave } of watchers) leave();
    await countLooks();
    assert.equal(await countLooks(), 0);
  });

  it('are looked up together when many watchers come at once', async (test) => {
    const hub = openHub();
    test.after(() => hub.close());
    const watching = watchQueries();
    const watchers = Array.from({ length: 100 }, () => watch(hub, randomUUID()));
    await until(() => watchers.every(({ states }) => states.length === 1), 10_000);
    watching.close();
    assert.ok(watching.sent.length <= 3, `${watching.sent.length} statements`);
  });

  it('are told by version: a watcher who knows the present one hears nothing, any other one hears it once', async (test) => {
    let state = { count: 0, version: 'a' };
    const looks: number[] = [];
    const hub = openHub(async (keys) => {
      looks.push(keys.length);
      return new Map(keys.map((key) => [key, state]));
    });
    test.after(() => hub.close());
    const id = randomUUID();
    const [knows, older, fresh] = [watch(hub, id, 'a'), watch(hub, id, 'z'), watch(hub, id)];
    await until(() => fresh.states.length === 1 && looks.length >= 3, 5000);
    assert.deepEqual([knows.states, older.states], [[], [state]]);
    assert.ok(
      looks.every((asked) => asked === 1),
      'tabs of one user are one inbox',
    );
    state = { count: 1, version: 'b' };
    await until(() => knows.states.length === 1 && fresh.states.length === 2, 5000);
    assert.deepEqual(older.states.map(({ version }) => version).join(), 'a,b');
  });

  it('are asked for again after the database failed, and the change is told then', async (test) => {
    let isBroken = false;
    let failures = 0;
    let state = { count: 0, version: 'a' };
    const hub = openHub(async (keys) => {
      if (isBroken) {
        failures += 1;
        throw new Error('no connection');
      }
      return new Map(keys.map((key) => [key, state]));
    });
    test.after(() => hub.close());
    const watcher = watch(hub, randomUUID());
    await until(() => watcher.states.length === 1, 5000);
    isBroken = true;
    state = { count: 1, version: 'b' };
    const late = watch(hub, randomUUID());
    await until(() => failures >= 2, 5000);
    assert.deepEqual([watcher.states.length, late.states.length], [1, 0]);
    isBroken = false;
    await until(() => watcher.states.length === 2 && late.states.length === 1, 5000);
  });

  it('never have two statements under way at a server', async (test) => {
    const { timers } = test.mock;
    timers.enable({ apis: ['setTimeout'] });
    const underWay: (() => void)[] = [];
    let looks = 0;
    let most = 0;
    const hub = openHub(async () => {
      looks += 1;
      const { promise, resolve } = Promise.withResolvers<void>();
      most = Math.max(most, underWay.push(resolve));
      await promise;
      return new Map();
    });
    test.after(() => hub.close());
    for (let round = 0; round < 4; round += 1) {
      // Longer than the time to any next look: for a watcher who comes, and the regular one.
      for (let n = 0; n < 2; n += 1) {
        watch(hub, randomUUID());
        timers.tick(1000);
        await flush();
      }
      underWay.shift()?.();
      await flush();
    }
    assert.ok(looks >= 4, `${looks} looks`);
    assert.equal(most, 1);
  });
});
