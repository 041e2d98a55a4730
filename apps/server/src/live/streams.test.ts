import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { announceEvent, connectBus } from '@pilothouse/bus';
import type { TaskEvent } from '@pilothouse/contract';
import { localUser, openStore, progressOf, type TaskRow } from '@pilothouse/store';
import { until } from '../../../../testkit/until.ts';
import { startTestServer, type TestServer } from '../../testing/server.ts';

const steps = [{ action: 'screenshot' } as const];

describe('a chat, and the streams that follow it', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ isAuthDisabled: true });
  });
  after(() => server.close());

  const seqsOf = (events: TaskEvent[]) => events.flatMap((event) => ('seq' in event ? event.seq : []));
  /** Appends an event of the task, as an agent would. */
  const say = (task: TaskRow, count: number, store = server.store) =>
    Promise.all(
      Array.from({ length: count }, () =>
        store.change(task.session_id, (_tx, append) =>
          append({ taskId: task.id, kind: 'status', data: { status: progressOf(task) } }),
        ),
      ),
    );
  async function newTask(): Promise<TaskRow> {
    const { task_id } = await server.client.sendChat({ prompt: 'x', steps });
    const task = await server.store.tasks.byId(task_id);
    assert.ok(task);
    return task;
  }
  /** Reads until this many events have come. */
  async function read(id: string, count: number, options: { cursor?: string; events?: TaskEvent[] } = {}) {
    const { events = [] } = options;
    for await (const event of server.client.followTask(
      { id, cursor: options.cursor },
      { signal: AbortSignal.timeout(10_000) },
    )) {
      events.push(event);
      if (events.length >= count) break;
    }
    return events;
  }

  /** The same, from when the first event has come: the stream is then open. */
  async function startReading(id: string, count: number) {
    const events: TaskEvent[] = [];
    const ended = read(id, count, { events });
    await until(() => events.length > 0, 5000);
    return { events, ended };
  }

  it('is accepted, and is due', async () => {
    const reply = await server.client.sendChat({ prompt: 'x', steps });
    assert.equal(reply.status, 'pending');
    assert.equal(reply.stream_path, `/api/tasks/${reply.task_id}/events`);
    const { status } = await server.client.getTaskStatus({ id: reply.task_id });
    assert.equal(status.current_step, 0);
    assert.deepEqual(status.agent_history, []);
    const { snapshot } = await server.client.getSession({ id: reply.session_id });
    assert.equal(snapshot.session.status, 'active');
    assert.equal(snapshot.session.last_task_id, reply.task_id);
    assert.equal(snapshot.last_frame, null);
  });

  it('answers a cursor whose next event was removed with a reset, and goes on with what is kept', async () => {
    const task = await newTask();
    const { session_id: id } = task;
    await say(task, 6);
    const { first, last } = await server.store.events.keptOf(id);
    assert.ok(last > first + 4);
    const removeUpTo = (seq: number) =>
      server.store.transaction(({ client }) =>
        client.query('delete from events where session_id = $1 and seq <= $2', [id, seq]),
      );
    await removeUpTo(last - 2);
    const reset = { type: 'reset', reason: 'cursor_expired' };
    assert.deepEqual(await read(task.id, 1, { cursor: String(last - 4) }), [reset]);
    assert.deepEqual(seqsOf(await read(task.id, 1, { cursor: String(last - 2) })), [last - 1]);
    for (const cursor of [first, last - 4]) {
      const response = await fetch(`${server.baseUrl}/api/sessions/${id}/live?cursor=${cursor}`);
      const text = (await response.body?.pipeThrough(new TextDecoderStream()).getReader().read())?.value ?? '';
      assert.match(text, /event: reset\ndata: \{"type":"reset","reason":"cursor_expired"\}/);
    }
    // Of a session without any event left, the next one still comes.
    await removeUpTo(last);
    assert.deepEqual(await read(task.id, 1, { cursor: String(last - 1) }), [reset]);
    const next = read(task.id, 1, { cursor: String(last) });
    await say(task, 1);
    assert.deepEqual(seqsOf(await next), [last + 1]);
  });

  it('only plans when asked to, and creates nothing', async () => {
    const before = (await server.client.listSessions({ limit: 200 })).sessions.length;
    const { plan } = await server.client.sendChat({ prompt: 'x', steps, execute: false });
    assert.deepEqual(plan.steps, steps);
    assert.equal((await server.client.listSessions({ limit: 200 })).sessions.length, before);
  });

  it('waits for its turn in a session, up to twenty tasks', async () => {
    const { session } = await server.client.createSession();
    for (let i = 0; i < 20; i++) await server.client.sendChat({ prompt: 'x', steps, session_id: session.id });
    await assert.rejects(server.client.sendChat({ prompt: 'x', steps, session_id: session.id }), { code: 'conflict' });
  });

  it('is accepted many times at once, in one session and in several', async () => {
    const { session } = await server.client.createSession();
    const chats = Array.from({ length: 60 }, (_, i) =>
      server.client.sendChat({ prompt: 'x', steps, ...(i % 4 === 0 && { session_id: session.id }) }),
    );
    const replies = await Promise.all(chats);
    assert.equal(new Set(replies.map(({ task_id }) => task_id)).size, 60);
  });

  it('is streamed from its first event on, in order, to many viewers at once', async () => {
    const task = await newTask();
    const readers = await Promise.all(Array.from({ length: 5 }, () => startReading(task.id, 31)));
    await say(task, 30);
    for (const events of await Promise.all(readers.map(({ ended }) => ended))) {
      const seqs = seqsOf(events);
      assert.equal(seqs[0], task.first_seq);
      assert.deepEqual(
        seqs,
        seqs.toSorted((a, b) => a - b),
      );
      assert.equal(new Set(seqs).size, 31);
    }
  });

  it('goes on after any cursor without a gap and without a repeat', async () => {
    const task = await newTask();
    await say(task, 20);
    const all = seqsOf(await read(task.id, 21));
    for (const cut of [0, 5, 20]) {
      const rest = read(task.id, 21 - cut, { cursor: String(all[cut]) });
      await say(task, 1);
      const seqs = seqsOf(await rest);
      assert.ok(seqs.every((seq) => seq > (all[cut] ?? 0)));
      assert.deepEqual(seqs.slice(0, 20 - cut), all.slice(cut + 1));
    }
  });

  it('sends a reset for an unknown cursor', async () => {
    const task = await newTask();
    for (const cursor of ['9999999', 'x']) assert.equal((await read(task.id, 1, { cursor }))[0]?.type, 'reset');
  });

  it('delivers an event within two seconds, also if its writer died before announcing it', async () => {
    const task = await newTask();
    // A store that announces nothing.
    const silent = openStore({ url: server.databaseUrl, blobDir: '/nonexistent', onError: () => {} });
    const { events, ended } = await startReading(task.id, 2);
    await say(task, 1, silent);
    // Two seconds, and as much for a busy machine.
    await until(() => events.length === 2, 4000);
    await ended;
    await silent.close();
  });

  it('is not disturbed by announcements that are late, early or repeated', async () => {
    const task = await newTask();
    const bus = await connectBus({ ...server.nats.as('server'), name: 'an echo' });
    const forged = (seq: number) => {
      const event = {
        seq,
        task_id: task.id,
        kind: 'log',
        data: { log: { message: 'never said' } },
        recorded_at: new Date(),
      };
      announceEvent(bus, task.session_id, seq, [{ ...event }]);
    };
    const { events: met, ended } = await startReading(task.id, 5);
    for (const seq of [1, 40]) forged(seq);
    await say(task, 2);
    // Two connections: what the other one announces could come first, and servers believe each other.
    await until(() => met.length === 3, 5000);
    for (const seq of [2, 3, 60]) forged(seq);
    await say(task, 2);
    const events = await ended.finally(() => bus.close());
    const logged = await server.store.events.after(task.session_id, 0, { limit: 100, taskId: task.id });
    assert.deepEqual(
      seqsOf(events),
      logged.map(({ seq }) => seq),
    );
    assert.ok(events.every(({ type }) => type === 'status'));
  });

  it('ends with the task, and sends the end to a viewer who comes later', async () => {
    const task = await newTask();
    const { executionId } = (await server.store.transaction((tx) =>
      server.store.tasks.beginExecution(tx, task.id, localUser.id),
    )) ?? { executionId: '' };
    await server.store.change(task.session_id, async (tx, append) => {
      const ended = await server.store.tasks.move(tx, { id: task.id, executionId }, 'fail', { lastError: 'no' });
      assert.ok(ended);
      await append({ taskId: task.id, kind: 'status', data: { status: progressOf(ended) } });
    });
    const events = await read(task.id, 100);
    assert.deepEqual(events.at(-1), { type: 'end', task_id: task.id, status: 'failed' });
    const { status } = await server.client.getTaskStatus({ id: task.id });
    assert.equal(status.last_error, 'no');
    assert.deepEqual(
      (await read(task.id, 100, { cursor: status.cursor })).map(({ type }) => type),
      ['end'],
    );
  });

  it('sends the end to a viewer whose cursor is behind it, also if other tasks went on', async () => {
    const task = await newTask();
    await server.client.cancelTask({ id: task.id });
    const ended = seqsOf(await read(task.id, 100)).at(-1);
    const { task_id } = await server.client.sendChat({ prompt: 'x', steps, session_id: task.session_id });
    const next = await server.store.tasks.byId(task_id);
    assert.ok(next);
    await say(next, 5);
    const late = await read(task.id, 100, { cursor: String(ended) });
    assert.deepEqual(late, [{ type: 'end', task_id: task.id, status: 'cancelled' }]);
    const behind = await read(task.id, 100, { cursor: String((ended ?? 0) - 1) });
    assert.deepEqual(
      behind.map(({ type }) => type),
      ['status', 'end'],
      'once, where it is still to come',
    );
  });

  it('sends the end once, however many events come before it', async () => {
    const task = await newTask();
    // More than one page.
    await server.store.change(task.session_id, async (_tx, append) => {
      const event = { taskId: task.id, kind: 'status', data: { status: progressOf(task) } };
      for (let i = 0; i < 600; i++) await append(event);
    });
    await server.client.cancelTask({ id: task.id });
    const events = await read(task.id, 1000);
    assert.equal(events.filter(({ type }) => type === 'end').length, 1);
    assert.ok(events.length > 601, String(events.length));
  });
});
