import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { BundledEvent, InboxEvent } from '@pilothouse/contract';
import { type Client, createClient, isApiError } from '@pilothouse/sdk';
import type { Caller } from '@pilothouse/store';
import { takeRun } from '@pilothouse/store/testing/runs';
import { until } from '../../../../testkit/until.ts';
import { startTestServer, type TestServer } from '../../testing/server.ts';
import { makeTask } from '../../testing/tasks.ts';

const password = 'correct horse battery';
const question = { text: 'Which of the lanterns?', stepId: 'step-1', expiresInSecs: 3600 };
/** Told within a second; the rest is for a machine that is busy. */
const soonMs = 5000;
let users = 0;

describe('the stream of an inbox', () => {
  let one: TestServer;
  let other: TestServer;
  const leaving = new AbortController();
  before(async () => {
    one = await startTestServer({ isAuthDisabled: false, streams: { perUser: 4 } });
    other = await one.another();
  });
  after(async () => {
    leaving.abort(new Error('the tests are over'));
    await one?.close();
  });

  type Person = Caller & { token: string; clientAt(server: TestServer): Client };
  async function newPerson(role: Caller['role'] = 'user'): Promise<Person> {
    users += 1;
    const username = `u${users}-${process.pid}`;
    const { user } = await one.client.register({ username, email: `${username}@example.test`, password });
    if (role === 'admin') await one.store.users.setRole(user.id, 'admin');
    const { access_token: token } = await one.client.login({ username_or_email: username, password });
    return {
      ...{ id: user.id, role, token },
      clientAt: ({ baseUrl }) => createClient({ baseUrl, token: () => token }),
    };
  }
  /** A task at work, as an agent at the first server's database has it. Nothing is announced on the bus. */
  async function begin(owner: Caller, creator?: Caller) {
    const { store } = one;
    const task = await makeTask(store, { owner, creator });
    await takeRun(store, task.id);
    const begun = await store.transaction((tx) => store.tasks.beginExecution(tx, task.id, randomUUID()));
    assert.ok(begun);
    const held = { id: task.id, executionId: begun.executionId };
    const ask = (text = question.text) =>
      store.transaction((tx) => store.questions.ask(tx, held, { ...question, text }, null));
    return { ...held, ask };
  }
  type Told = { count: number; version: string };
  function follow(client: Client, cursor?: string) {
    const told: Told[] = [];
    const resets: string[] = [];
    const stop = new AbortController();
    const signal = AbortSignal.any([leaving.signal, stop.signal]);
    const ended = (async () => {
      for await (const event of client.followInbox({ cursor }, { signal })) {
        InboxEvent.parse(event);
        if (event.type === 'inbox') told.push({ count: event.count, version: event.version });
        else resets.push(event.reason);
      }
    })().catch((error: unknown) => error);
    const counts = () => told.map(({ count }) => count);
    return { told, resets, counts, ended, leave: () => stop.abort(new Error('left')) };
  }
  const toldCounts = (watching: ReturnType<typeof follow>, counts: number[]) =>
    until(() => watching.counts().join() === counts.join(), soonMs);

  it('tells at another server what a task asks, that it was answered and that the task was cancelled, without the bus', async () => {
    const ann = await newPerson();
    const watching = follow(ann.clientAt(other));
    await toldCounts(watching, [0]);
    const task = await begin(ann);
    const askedAt = performance.now();
    await task.ask();
    await toldCounts(watching, [0, 1]);
    const ms = performance.now() - askedAt;
    assert.ok(ms < 3000, `told after ${Math.round(ms)} ms`);
    const list = await ann.clientAt(one).listInbox();
    assert.equal(list.version, watching.told.at(-1)?.version, 'the list of this state has its version');
    assert.equal(list.items[0]?.question?.text, question.text);

    await ann.clientAt(one).signalTakeover({ id: task.id, answer: 'The brass one' });
    await toldCounts(watching, [0, 1, 0]);
    assert.equal(watching.told[2]?.version, watching.told[0]?.version, 'an empty inbox is always the same');
    await task.ask('Which colour?');
    await toldCounts(watching, [0, 1, 0, 1]);
    assert.notEqual(watching.told[3]?.version, watching.told[1]?.version, 'another question is another state');
    await ann.clientAt(one).cancelTask({ id: task.id });
    await toldCounts(watching, [0, 1, 0, 1, 0]);
    watching.leave();
  });

  it('tells a takeover and its end, and says nothing while it is only renewed', async () => {
    const ann = await newPerson();
    const task = await begin(ann);
    await task.ask();
    const watching = follow(ann.clientAt(other));
    await toldCounts(watching, [1]);
    const client = ann.clientAt(one);
    const { takeover } = await client.requestTakeover({ id: task.id });
    await until(() => watching.told.length === 2, soonMs);
    assert.deepEqual(watching.counts(), [1, 1]);
    const { items } = await client.listInbox();
    assert.equal(items[0]?.takeover?.takeover_id, takeover.takeover_id);
    await one.store.transaction(({ client: database }) =>
      database.query(`update takeovers set expires_at = expires_at + interval '1 minute' where id = $1`, [
        takeover.takeover_id,
      ]),
    );
    const now = await client.listInbox();
    assert.equal(now.version, watching.told[1]?.version);
    await client.cancelTask({ id: task.id });
    await toldCounts(watching, [1, 1, 0]);
    watching.leave();
  });

  it('tells nothing to another user, all to an admin, and to a person what they asked for elsewhere', async () => {
    const [ann, ben, admin] = [await newPerson(), await newPerson(), await newPerson('admin')];
    const [ofAnn, ofBen] = [follow(ann.clientAt(other)), follow(ben.clientAt(other))];
    const ofAdmin = follow(admin.clientAt(other));
    await until(() => [ofAnn, ofBen, ofAdmin].every(({ told }) => told.length === 1), soonMs);
    const waiting = ofAdmin.counts()[0] ?? 0;
    await (await begin(ann)).ask();
    await toldCounts(ofAnn, [0, 1]);
    await toldCounts(ofAdmin, [waiting, waiting + 1]);
    // A change of Ben's own inbox that is made later is told after anything that the first change could cause.
    const shared = await begin(ann, ben);
    await shared.ask();
    await toldCounts(ofBen, [0, 1]);
    await toldCounts(ofAnn, [0, 1, 2]);
    const list = await ben.clientAt(one).listInbox();
    assert.deepEqual(
      list.items.map(({ task_id }) => task_id),
      [shared.id],
    );
    for (const { leave } of [ofAnn, ofBen, ofAdmin]) leave();
  });

  it('goes on from a cursor without a repeat, and answers what is no cursor with a reset', async () => {
    const ann = await newPerson();
    const first = follow(ann.clientAt(one));
    await toldCounts(first, [0]);
    const version = first.told[0]?.version;
    first.leave();
    const again = follow(ann.clientAt(other), version);
    const task = await begin(ann);
    await task.ask();
    await toldCounts(again, [1]);
    again.leave();
    const behind = follow(ann.clientAt(one), version);
    await toldCounts(behind, [1]);
    behind.leave();
    const wrong = follow(ann.clientAt(one), '17');
    await wrong.ended;
    assert.deepEqual([wrong.resets, wrong.told], [['cursor_unknown'], []]);
  });

  it('counts against the streams of a user, and ends with the login', async () => {
    const ann = await newPerson();
    const held = Array.from({ length: 4 }, () => follow(ann.clientAt(one)));
    await until(() => held.every(({ told }) => told.length === 1), soonMs);
    const refused = await fetch(`${one.baseUrl}/api/inbox/events`, {
      headers: { authorization: `Bearer ${ann.token}` },
    });
    assert.equal(refused.status, 429);
    await refused.body?.cancel();
    await ann.clientAt(other).logoutAll();
    for (const { ended } of held) {
      const error = await ended;
      assert.ok(isApiError(error, 'token_invalid'), String(error));
    }
  });

  it('is one of several streams in a response, and of inboxes only the own one', async () => {
    const ann = await newPerson();
    const task = await begin(ann);
    const stop = AbortSignal.any([leaving.signal, AbortSignal.timeout(20_000)]);
    const events: BundledEvent[] = [];
    const stream = ['inbox:me', `task:${task.id}`, `inbox:${(await newPerson()).id}`];
    for await (const event of ann.clientAt(other).followStreams({ stream }, { signal: stop })) {
      events.push(BundledEvent.parse(event));
      const states = events.flatMap((seen) => (seen.type === 'inbox' && seen.event.type === 'inbox' ? seen.event : []));
      if (states.length === 1 && event.type === 'inbox') await task.ask();
      if (states.length === 2) {
        assert.deepEqual(
          states.map(({ count }) => count),
          [0, 1],
        );
        const last = events.at(-1);
        assert.ok(last?.type === 'inbox' && last.stream === 'inbox:me' && last.cursor === states[1]?.version);
        break;
      }
    }
    const refused = events.filter(({ type }) => type === 'refused');
    assert.deepEqual(
      refused.map(({ stream: name }) => name),
      [stream[2]],
    );
    assert.ok(events.some(({ type }) => type === 'task'));
  });
});
