import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
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
  /** Statements of any kind that this process sends in the time. */
  async function countStatements(ms: number): Promise<number> {
    const watching = watchQueries();
    await sleep(ms);
    watching.close();
    return watching.sent.filter(({ text }) => text.includes('awaiting_user')).length;
  }

  it('cost two statements a second, for one watcher as for a hundred, and none without', async (test) => {
    const hub = openHub();
    test.after(() => hub.close());
    const counted: number[] = [await countStatements(2000)];
    const watchers = [watch(hub, randomUUID())];
    await until(() => watchers[0]?.states.length === 1, 5000);
    counted.push(await countStatements(2000));
    for (let n = 1; n < 100; n += 1) watchers.push(watch(hub, randomUUID()));
    await until(() => watchers.every(({ states }) => states.length === 1), 10_000);
    counted.push(await countStatements(2000));
    for (const { leave } of watchers) leave();
    // One may be under way.
    await sleep(600);
    counted.push(await countStatements(2000));
    const [before, one, hundred, none] = counted;
    test.diagnostic(`statements in 2 s: ${counted.join(', ')}`);
    assert.deepEqual([before, none], [0, 0]);
    for (const count of [one, hundred]) assert.ok(count !== undefined && count > 0 && count <= 5, String(counted));
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
    let underWay = 0;
    let most = 0;
    let looks = 0;
    const hub = openHub(async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await sleep(100);
      underWay -= 1;
      looks += 1;
      return new Map();
    });
    test.after(() => hub.close());
    for (let n = 0; n < 30; n += 1) {
      watch(hub, randomUUID());
      await sleep(25);
    }
    await until(() => looks >= 4, 5000);
    assert.equal(most, 1);
  });
});
