import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { Takeover, TakeoverState } from '@pilothouse/contract';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { answersOf, localUser, newId, openStore, type Store, type TakeoverRow, takeoverOf } from '../index.ts';

const viewport = { width: 1280, height: 720 };
const question = { text: 'Which one?', stepId: 'step-1', expiresInSecs: 3600 };

describe('a takeover', () => {
  let database: TestDatabase;
  let store: Store;
  const bootId = randomUUID();
  before(async () => {
    database = await createTestDatabase();
    store = openStore({ url: database.url, blobDir: '/nonexistent', poolSize: 20, onError: () => {} });
    await store.users.ensureLocal();
    await store.hosts.renew({ hostId: 'h1', bootId, capacity: 100, sessions: [], leaseMs: 600_000 });
  });
  after(async () => {
    await store.close();
    await database.close();
  });

  /** A session with a browser, and with a task at work in it unless it is said. */
  async function open({ hasTask = true, hasBrowser = true } = {}) {
    const sessionId = newId();
    const id = newId();
    await store.change(sessionId, async (tx) => {
      await store.sessions.create(tx, localUser, { id: sessionId, viewport });
      if (hasBrowser) await store.browsers.assign(tx, sessionId, { id: 'h1', bootId }, 0);
      const given = { id, sessionId, title: 't', prompt: 'p', plan: { steps: [] }, settings: {}, totalSteps: 1 };
      if (hasTask) await store.tasks.create(tx, localUser, given);
    });
    if (!hasTask) return { sessionId, taskId: null, id, executionId: '' };
    const begun = await store.change(sessionId, async (tx) => {
      await store.sessions.move(tx, sessionId, 'work');
      return store.tasks.beginExecution(tx, id, randomUUID());
    });
    return { sessionId, taskId: id, id, executionId: begun?.executionId ?? '' };
  }
  type Opened = Awaited<ReturnType<typeof open>>;
  const asked = ({ sessionId, taskId }: Opened, leaseSecs = 300) => ({
    sessionId,
    taskId,
    holderId: localUser.id,
    reason: 'to log in',
    leaseSecs,
    tokenHash: randomBytes(32),
  });
  const request = (of: Opened, leaseSecs?: number) =>
    store.change(of.sessionId, (tx, append) => store.takeovers.request(tx, append, asked(of, leaseSecs)));
  /** A whole takeover: requested, the former driver stopped, the host told. */
  async function take(of: Opened, leaseSecs?: number): Promise<TakeoverRow | undefined> {
    const stopped = await store.change(of.sessionId, async (tx, append) => {
      const row = await store.takeovers.request(tx, append, asked(of, leaseSecs));
      return row && { row, fence: await store.takeovers.stop(tx, append, row) };
    });
    if (!stopped?.fence) return undefined;
    const { row, fence } = stopped;
    return store.change(of.sessionId, (tx, append) => store.takeovers.activate(tx, append, row.id, fence.epoch));
  }
  const giveBack = (of: Opened, note?: string) =>
    store.change(of.sessionId, async (tx, append) => {
      const row = await store.takeovers.standing(tx, of.sessionId);
      return row && store.takeovers.giveBack(tx, append, row, { outcome: 'resumed', note });
    });
  const taskOf = async ({ id }: Opened) => (await store.tasks.atWork(id)) ?? assert.fail('no task');
  const sessionOf = async ({ sessionId }: Opened) => (await store.sessions.byId(sessionId))?.status;
  const told = async ({ sessionId }: Opened) =>
    (await store.events.after(sessionId, 0, { limit: 200 })).flatMap(({ kind, data }) =>
      kind === 'takeover' ? (data.takeover as Takeover) : [],
    );

  it('has the states of the contract', async () => {
    const { rows } = await store.transaction(({ client }) =>
      client.query<{ states: string }>(`select enum_range(null::takeover_status)::text as states`),
    );
    assert.equal(rows[0]?.states, `{${TakeoverState.options.join(',')}}`);
  });

  it('is asked for, had, on its way back and given back, and everybody is told each time', async () => {
    const one = await open();
    const row = await take(one);
    assert.equal(row?.status, 'active');
    const { epoch } = (await store.browsers.of(one.sessionId)) ?? {};
    assert.equal(row?.epoch, epoch, 'the epoch is that of the browser');
    assert.equal((await taskOf(one)).status, 'takeover');
    assert.equal(await sessionOf(one), 'takeover');
    assert.equal(await store.tasks.isHeld(one.id, one.executionId), false, 'the agent does nothing');

    const back = await giveBack(one, 'logged in');
    assert.equal(back?.takeover.status, 'resuming');
    assert.equal(back?.task?.status, 'running');
    assert.equal(back?.fence?.epoch, (epoch ?? 0) + 1, 'nothing of theirs counts after it');
    assert.equal(await sessionOf(one), 'active');
    assert.equal((await taskOf(one)).execution_id, one.executionId, 'the agent that had it goes on');
    assert.equal(await giveBack(one), undefined, 'once');

    await store.change(one.sessionId, async (tx, append) => {
      const standing = await store.takeovers.standing(tx, one.sessionId);
      assert.ok(standing);
      await store.takeovers.end(tx, append, standing, { url: 'http://desk.test/in?q=secret', written: ['Name'] });
    });
    assert.equal(await store.takeovers.standingOf(one.sessionId), undefined);
    const events = await told(one);
    for (const event of events) assert.deepEqual(Takeover.parse(event), event);
    assert.deepEqual(
      events.map(({ status, held_by }) => [status, held_by]),
      [
        ['requested', null],
        ['active', localUser.id],
        ['resuming', localUser.id],
        ['ended', null],
      ],
    );
    const { rows } = await store.logs.listOf(one.id, { limit: 10 });
    const last = rows.at(-1);
    assert.match(
      last?.message ?? '',
      /The page was none, and is now http:\/\/desk.test\/in. Fields changed: "Name". Note: logged in/,
    );
    assert.deepEqual(last?.data, {
      takeover_id: row?.id,
      url_before: null,
      url_after: 'http://desk.test/in',
      note: 'logged in',
      fields_written: ['Name'],
      outcome: 'resumed',
    });
  });

  it('has one holder, however many ask, take and give back at once', async () => {
    const one = await open();
    const holders = async () => {
      const text = `select count(*)::int as count from takeovers where session_id = $1 and status <> 'ended'`;
      return store.transaction(async ({ client }) => (await client.query(text, [one.sessionId])).rows[0].count);
    };
    for (let round = 0; round < 15; round += 1) {
      const taken = await Promise.all(Array.from({ length: 8 }, () => take(one)));
      assert.equal(taken.filter(Boolean).length, 1, `round ${round}`);
      assert.equal(await holders(), 1);
      const backs = await Promise.all(Array.from({ length: 4 }, () => giveBack(one)));
      assert.equal(backs.filter(Boolean).length, 1, `round ${round}`);
      await store.change(one.sessionId, async (tx, append) => {
        const standing = await store.takeovers.standing(tx, one.sessionId);
        if (standing) await store.takeovers.end(tx, append, standing, { url: null, written: [] });
      });
      assert.equal(await holders(), 0);
    }
    const epochs = (await told(one)).filter(({ status }) => status === 'active').map(({ epoch }) => epoch);
    assert.deepEqual(
      epochs,
      [...new Set(epochs)].toSorted((a, b) => a - b),
      'each under an epoch of its own, rising',
    );
  });

  it('is not active before the former driver is stopped, nor while the browser is elsewhere', async () => {
    const one = await open();
    const row = (await request(one)) ?? assert.fail();
    const activate = (epoch: number) =>
      store.change(one.sessionId, (tx, append) => store.takeovers.activate(tx, append, row.id, epoch));
    const { epoch = 0 } = (await store.browsers.of(one.sessionId)) ?? {};
    assert.equal(await activate(epoch), undefined, 'its task is at work');
    assert.equal((await taskOf(one)).status, 'running');
    assert.ok(await store.tasks.isHeld(one.id, one.executionId));
    const { id, executionId } = one;
    const asked = [
      { id, executionId, unlessWanted: true },
      { id, executionId, unlessWanted: false },
      { id, executionId: newId(), unlessWanted: false },
    ];
    assert.deepEqual(await store.tasks.heldOf(asked), [false, true, false]);
    assert.equal((await taskOf(one)).has_takeover, true);
    // As its agent does between two steps.
    const stop = (executionId: string) =>
      store.change(one.sessionId, (tx, append) =>
        store.takeovers.stop(tx, append, row, { from: ['running'], executionId }),
      );
    assert.equal(await stop(newId()), undefined, 'another agent has no word in it');
    const fence = (await stop(one.executionId)) ?? assert.fail();
    assert.equal(await activate(fence.epoch - 1), undefined, 'an epoch that is over');
    assert.equal((await activate(fence.epoch))?.status, 'active');
  });

  it('of a task that asked for it answers the question when it is handed back, unless the page is to show it', async () => {
    for (const { until, status } of [
      { until: null, status: 'running' },
      { until: { text: 'Welcome' }, status: 'awaiting_user' },
    ] as const) {
      const one = await open();
      await store.change(one.sessionId, (tx) =>
        store.questions.ask(tx, { id: one.id, executionId: one.executionId }, { ...question, kind: 'drive' }, until),
      );
      assert.ok(await take(one));
      await giveBack(one);
      const task = await taskOf(one);
      assert.equal(task.status, status);
      assert.deepEqual(
        answersOf(task).map(({ text }) => text),
        until ? [] : ['The wheel was handed back.'],
      );
    }
  });

  it('of a task that asks ends with the same question open; the time of people does not count for the task', async () => {
    const one = await open();
    await store.change(one.sessionId, (tx) =>
      store.questions.ask(tx, { id: one.id, executionId: one.executionId }, question, null),
    );
    const before = await taskOf(one);
    assert.ok(await take(one));
    const during = await taskOf(one);
    assert.equal(during.status, 'takeover');
    assert.equal(during.paused_at?.getTime(), before.paused_at?.getTime(), 'its clock stands since it asked');
    const back = await giveBack(one);
    assert.equal(back?.takeover.status, 'ended', 'nobody has to look first');
    assert.equal((await taskOf(one)).status, 'awaiting_user');
    assert.deepEqual((await taskOf(one)).question, before.question);
  });

  it('runs out by the clock of the database, and input renews it at most every five seconds', async () => {
    const one = await open();
    const row = (await take(one, 30)) ?? assert.fail();
    const driver = () => store.takeovers.driver(localUser, one.sessionId);
    assert.deepEqual(await driver(), {
      isClosed: false,
      takeoverId: row.id,
      taskId: one.id,
      epoch: row.epoch,
      isMine: true,
      isDue: false,
      clientId: null,
      clientNo: 0,
      hostId: 'h1',
    });
    const age = (column: string, secs: number) =>
      store.transaction(({ client }) =>
        client.query(`update takeovers set ${column} = ${column} - make_interval(secs => $2) where id = $1`, [
          row.id,
          secs,
        ]),
      );
    await age('renewed_at', 6);
    assert.equal((await driver())?.isDue, true);
    assert.equal(await store.takeovers.renew(row.id), true);
    assert.equal((await driver())?.isDue, false);
    await age('expires_at', 31);
    assert.equal((await driver())?.isMine, false, 'nothing is done with it any more, agents alive or not');
    assert.equal(await store.takeovers.renew(row.id), false, 'nor is it renewed');
    assert.deepEqual(await store.takeovers.expired(), [{ id: row.id, sessionId: one.sessionId }]);
    const stranger = { id: newId(), role: 'user', loginId: newId() } as const;
    assert.equal(await store.takeovers.driver(stranger, one.sessionId), undefined);
    await giveBack(one);
    assert.deepEqual(await store.takeovers.expired(), []);
  });

  it('of a session is that of the task which begins meanwhile, and of no other', async () => {
    const one = await open({ hasTask: false });
    const row = (await take(one)) ?? assert.fail();
    assert.equal(await sessionOf(one), 'takeover');
    const given = { id: one.id, sessionId: one.sessionId, title: 't', prompt: 'p', plan: { steps: [] }, settings: {} };
    const begun = await store.change(one.sessionId, async (tx) => {
      await store.tasks.create(tx, localUser, { ...given, totalSteps: 1 });
      return store.tasks.beginExecution(tx, one.id, randomUUID());
    });
    const held = { id: one.id, executionId: begun?.executionId ?? '' };
    const adopted = await store.change(one.sessionId, (tx, append) => store.takeovers.adopt(tx, append, row, held));
    assert.equal(adopted?.task_id, one.id);
    assert.equal((await taskOf(one)).status, 'takeover');
    const back = await giveBack(one);
    assert.equal(back?.task?.status, 'running');
    assert.equal(await sessionOf(one), 'active');
  });

  it('of a session without a browser waits for one, and goes back to rest', async () => {
    const one = await open({ hasTask: false, hasBrowser: false });
    assert.equal(await take(one), undefined);
    const [waiting, ...others] = (await store.takeovers.unattended()).filter(
      ({ sessionId }) => sessionId === one.sessionId,
    );
    assert.deepEqual([waiting?.status, others.length], ['requested', 0]);
    const epoch = await store.change(one.sessionId, async (tx, append) => {
      const at = await store.browsers.assign(tx, one.sessionId, { id: 'h1', bootId }, 0);
      assert.ok(at && waiting);
      assert.ok(await store.takeovers.activate(tx, append, waiting.id, at.epoch));
      return at.epoch;
    });
    assert.equal((await store.browsers.of(one.sessionId))?.driver?.epoch, epoch);
    // Its host dies, and another has the browser.
    const isUnattended = async () =>
      (await store.takeovers.unattended()).some(({ sessionId }) => sessionId === one.sessionId);
    assert.ok(!(await isUnattended()));
    await store.transaction((tx) => store.browsers.release(tx, one.sessionId, { hostId: 'h1', epoch }));
    assert.ok(await isUnattended());
    await store.change(one.sessionId, async (tx, append) => {
      const at = await store.browsers.assign(tx, one.sessionId, { id: 'h1', bootId }, epoch);
      const row = await store.takeovers.standing(tx, one.sessionId);
      assert.ok(at && row);
      assert.equal(await store.takeovers.claim(tx, append, row, at.epoch - 1), undefined, 'another agent has done it');
      assert.equal((await store.takeovers.claim(tx, append, row, at.epoch))?.epoch, at.epoch + 1);
    });
    assert.ok(!(await isUnattended()));
    assert.equal((await told(one)).at(-1)?.epoch, epoch + 2, 'who drives is told of the new epoch');
    await store.change(one.sessionId, async (tx, append) => {
      const row = await store.takeovers.standing(tx, one.sessionId);
      assert.equal(row && (await store.takeovers.claim(tx, append, row, 1))?.epoch, epoch + 2, 'theirs already');
    });
    await giveBack(one);
    assert.equal(await sessionOf(one), 'idle');
  });

  it('ends with its task, and with its session', async () => {
    const [one, other] = [await open(), await open({ hasTask: false })];
    await take(one);
    await take(other);
    await store.change(one.sessionId, (tx, append) => store.cancels.cancel(tx, append, { taskId: one.id }, null));
    assert.equal((await taskOf(one)).status, 'cancelled');
    assert.equal(await sessionOf(one), 'active', 'a cancel lets the session rest');
    await store.change(other.sessionId, async (tx, append) => {
      await store.sessions.move(tx, other.sessionId, 'close');
      await store.cancels.cancel(tx, append, { sessionId: other.sessionId }, null);
    });
    for (const ended of [one, other]) {
      assert.equal(await store.takeovers.standingOf(ended.sessionId), undefined);
      assert.equal((await told(ended)).at(-1)?.status, 'ended');
    }
    const events = await store.events.after(one.sessionId, 0, { limit: 50, taskId: one.id });
    assert.equal(events.at(-1)?.kind, 'status', 'the last word of a task is its end');
  });

  it('is shown with the task, and in the list of tasks that wait for a person', async () => {
    const one = await open();
    const row = (await take(one)) ?? assert.fail();
    const standing = await store.tasks.standing(localUser, one.id);
    assert.ok(standing?.takeover);
    assert.deepEqual(takeoverOf(standing.takeover), takeoverOf(row));
    const { rows } = await store.tasks.inboxOf(localUser, { limit: 200 });
    assert.deepEqual(
      rows.map(({ paused_at }) => paused_at.getTime()),
      rows.map(({ paused_at }) => paused_at.getTime()).toSorted((a, b) => a - b),
      'longest wait first',
    );
    const mine = rows.find(({ id }) => id === one.id);
    assert.equal(mine?.takeover?.id, row.id);
    const first = await store.tasks.inboxOf(localUser, { limit: 1 });
    const next = await store.tasks.inboxOf(localUser, { limit: 200, cursor: first.nextCursor ?? '' });
    assert.deepEqual(
      [...first.rows, ...next.rows].map(({ id }) => id),
      rows.map(({ id }) => id),
    );
  });
});
