import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isApiError } from '@pilothouse/sdk';
import { localUser, newId, type Store, type TaskRow } from '@pilothouse/store';
import { startTestServer, type TestServer } from '../../testing/server.ts';
import { makeObservation, makeTask, plan, settings } from '../../testing/tasks.ts';

const owner = { id: localUser.id, role: 'admin' } as const;
const png = Buffer.from('89504e47', 'hex');
const refusedAs = (code: Parameters<typeof isApiError>[1]) => (error: unknown) => isApiError(error, code);

describe('reading a task', () => {
  let server: TestServer;
  let store: Store;
  before(async () => {
    server = await startTestServer({ isAuthDisabled: true });
    store = server.store;
  });
  after(() => server.close());
  const newTask = () => makeTask(store, { owner });
  const read = (path: string, headers = {}) => fetch(server.baseUrl + path, { headers });

  /** Begins the task as an agent would. */
  async function begin(task: TaskRow): Promise<string> {
    const begun = await store.transaction((tx) => store.tasks.beginExecution(tx, task.id, newId()));
    assert.ok(begun);
    return begun.executionId;
  }
  async function tryStep(task: TaskRow, executionId: string, index: number, error?: string) {
    await store.change(task.session_id, async (tx) => {
      const step = { taskId: task.id, executionId, index, title: `Step ${index}` };
      const begun = await store.steps.begin(tx, step, { commandId: newId(), epoch: 1 });
      const status = error === undefined ? 'success' : 'failed';
      assert.ok(begun && (await store.steps.end(tx, step, begun.attempt.try, { status, runMs: 5, error })));
    });
  }

  it('shows what was asked, the plan and the settings', async () => {
    const task = await newTask();
    const shown = (await server.client.getTask({ id: task.id })).task;
    assert.equal(shown.prompt, 'Buy a lantern');
    assert.equal(shown.session_id, task.session_id);
    assert.equal(shown.status, 'pending');
    assert.deepEqual(shown.plan, plan);
    assert.deepEqual(shown.settings, settings);
    assert.equal(shown.result, null);
  });

  it('lists log entries from a level upwards, and the same in the log of the session', async () => {
    const task = await newTask();
    const levels = ['debug', 'info', 'warn', 'error'] as const;
    await store.change(task.session_id, async (_tx, append) => {
      for (const level of levels) {
        const line = { taskId: task.id, level, message: `said ${level}\0`, stepId: 'step-1', data: { level } };
        await store.logs.append(append, { ...line, dedupKey: level });
        await store.logs.append(append, { ...line, dedupKey: level });
      }
    });
    const { logs, next_cursor } = await server.client.listLogs({ id: task.id });
    assert.equal(next_cursor, null);
    assert.deepEqual(
      logs.map(({ level }) => level),
      levels,
      'said twice under one key, logged once',
    );
    assert.equal(logs[0]?.message, 'said debug\uFFFD', 'what the database cannot hold is no reason to fail');
    assert.deepEqual(logs[0]?.data, { level: 'debug' });
    const grave = await server.client.listLogs({ id: task.id, level: 'warn' });
    assert.deepEqual(
      grave.logs.map(({ level }) => level),
      ['warn', 'error'],
    );
    const seen = [];
    for await (const event of server.client.followTask({ id: task.id })) {
      if (event.type === 'log') seen.push(event.log);
      if (seen.length === logs.length) break;
    }
    assert.deepEqual(seen, logs);
  });

  it('lists observations, oldest first, with the paths of pictures and files', async () => {
    const task = await newTask();
    const fileId = newId();
    const ids = [
      await makeObservation(store, task, { image: png }),
      await makeObservation(store, task, { kind: 'page' }),
      await makeObservation(store, task, { kind: 'download', image: png, contentType: 'text/html', fileId }),
    ];
    const { data } = await server.client.listObservations({ id: task.id });
    assert.equal(data.task_id, task.id);
    assert.deepEqual(
      data.observations.map(({ observation_id }) => observation_id),
      ids,
    );
    const [picture, page, download] = data.observations.map(({ artifact }) => artifact);
    assert.deepEqual(picture, {
      content_type: 'image/png',
      byte_len: png.length,
      width: 1,
      height: 1,
      path: `/api/tasks/${task.id}/observations/${ids[0]}/image`,
    });
    assert.equal(page, null);
    assert.equal(download?.path, `/api/tasks/${task.id}/files/${fileId}`);
    assert.deepEqual(Buffer.from(await (await read(picture?.path ?? '')).arrayBuffer()), png);
    assert.equal((await read(`/api/tasks/${task.id}/observations/${ids[2]}/image`)).status, 404, 'that is no picture');

    const embedded = await server.client.listObservations({ id: task.id, include: 'image' });
    assert.deepEqual(
      embedded.data.observations.map(({ artifact }) => artifact?.data_base64),
      [png.toString('base64'), undefined, undefined],
    );
  });

  it('ends a page of pictures early instead of sending all of them', async () => {
    const task = await newTask();
    const large = { image: png, byteLen: 5 * 1024 * 1024 };
    const ids: (string | undefined)[] = [];
    for (let i = 0; i < 3; i++) ids.push(await makeObservation(store, task, large));
    const pages: unknown[] = [];
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const { data } = await server.client.listObservations({ id: task.id, include: 'image', cursor });
      pages.push(data.observations.map(({ observation_id }) => observation_id));
      cursor = data.next_cursor;
    }
    assert.deepEqual(
      pages,
      ids.map((id) => [id]),
    );
    const { data } = await server.client.listObservations({ id: task.id });
    assert.equal(data.observations.length, 3, 'without pictures they fit on one page');
  });

  it('embeds pictures up to a bound, and names a larger one by its path', async () => {
    const task = await newTask();
    const [small, large] = [Buffer.alloc(3 * 1024 * 1024, 1), Buffer.alloc(5 * 1024 * 1024, 2)];
    for (const image of [small, large, small, png]) await makeObservation(store, task, { image });
    const seen: unknown[] = [];
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const { data } = await server.client.listObservations({ id: task.id, include: 'image', cursor });
      let embedded = 0;
      for (const { artifact } of data.observations) {
        assert.ok(artifact);
        const image = Buffer.from(artifact.data_base64 ?? '', 'base64');
        embedded += image.length;
        seen.push(artifact.data_omitted ?? image.length);
        if (artifact.data_omitted) {
          const answer = await read(artifact.path);
          assert.equal(answer.headers.get('content-length'), String(large.length));
          assert.deepEqual(Buffer.from(await answer.arrayBuffer()), large);
        }
      }
      assert.ok(embedded <= 4 * 1024 * 1024);
      cursor = data.next_cursor;
    }
    assert.deepEqual(seen, [small.length, 'too_large', small.length, png.length]);
  });

  it('refuses a malformed id: as malformed for observations, as not found elsewhere', async () => {
    await assert.rejects(server.client.listObservations({ id: 'abc' }), refusedAs('malformed_id'));
    await assert.rejects(server.client.listLogs({ id: 'abc' }), refusedAs('not_found'));
    await assert.rejects(server.client.getTask({ id: 'abc' }), refusedAs('not_found'));
    await assert.rejects(server.client.listTasks({ session_id: 'abc' }), refusedAs('not_found'));
  });

  it('refuses a cursor of another list', async () => {
    const { id } = await newTask();
    await newTask();
    const { next_cursor } = await server.client.listTasks({ limit: 1 });
    const cursor = next_cursor ?? '';
    await assert.rejects(server.client.listLogs({ id, cursor }), refusedAs('validation_failed'));
    await assert.rejects(server.client.listObservations({ id, cursor: 'abc' }), refusedAs('validation_failed'));
    await assert.rejects(server.client.listTasks({ cursor: 'abc' }), refusedAs('validation_failed'));
  });

  it('serves files only as attachments, by name and never with their own content type', async () => {
    const task = await newTask();
    const file = { id: newId(), task_id: task.id, name: 'Ünde "r".html', content_type: 'text/html', byte_len: 8 };
    const key = `sessions/${task.session_id}/${file.id}`;
    await store.blobs.put(key, Buffer.from('<script>'));
    await store.transaction((tx) => store.files.add(tx, { ...file, blob_key: key }, 1_000_000));
    const response = await read(`/api/tasks/${task.id}/files/${file.id}`);
    assert.equal(await response.text(), '<script>');
    assert.equal(response.headers.get('content-type'), 'application/octet-stream');
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(
      response.headers.get('content-disposition'),
      `attachment; filename="_nde _r_.html"; filename*=UTF-8''%C3%9Cnde%20%22r%22.html`,
    );
    await store.blobs.removeAll(`sessions/${task.session_id}`);
    assert.equal((await read(`/api/tasks/${task.id}/files/${file.id}`)).status, 410);
    assert.equal((await read(`/api/tasks/${task.id}/files/${newId()}`)).status, 404);
  });

  it('lists executions, each with the attempts at steps that it began', async () => {
    const task = await newTask();
    const first = await begin(task);
    await tryStep(task, first, 1);
    await tryStep(task, first, 2, 'The browser was lost.');
    const second = await begin(task);
    await tryStep(task, second, 2);
    const { executions } = await server.client.listExecutions({ id: task.id });
    const told = executions.map(({ attempt, outcome, steps }) => ({
      attempt,
      outcome,
      steps: steps.map(({ index, attempts, status, title }) => `${index}.${attempts} ${status} ${title}`),
    }));
    assert.deepEqual(told, [
      {
        attempt: 1,
        outcome: 'interrupted',
        steps: ['1.1 success Open http://shop.test/', '2.1 failed Buy it'],
      },
      { attempt: 2, outcome: null, steps: ['2.2 success Buy it'] },
    ]);
  });

  it('shows the task as a conversation, and the same in the snapshot of its session', async () => {
    const task = await newTask();
    const executionId = await begin(task);
    await tryStep(task, executionId, 1);
    await tryStep(task, executionId, 2, 'Nothing is called "Buy".');
    const lastError = 'Nothing is called "Buy".';
    await store.transaction((tx) => store.tasks.move(tx, { id: task.id, executionId }, 'fail', { lastError }));
    const { message_state } = await server.client.getMessageState({ id: task.id });
    assert.equal(message_state.task_prompt, 'Buy a lantern');
    assert.equal(message_state.pending_question, null);
    assert.deepEqual(
      message_state.items.map(({ role, kind, content }) => `${role} ${kind}: ${content}`),
      [
        'user prompt: Buy a lantern',
        'agent progress: Open http://shop.test/',
        'agent progress: Buy it: Nothing is called "Buy".',
        'agent error: Nothing is called "Buy".',
      ],
    );
    const { snapshot } = await server.client.getSession({ id: task.session_id });
    assert.deepEqual(snapshot.message_state, message_state);
  });

  it('shows the latest picture, never an older one from a cache', async () => {
    const task = await newTask();
    const path = `/api/tasks/${task.id}/screenshot`;
    assert.equal((await read(path)).status, 404, 'there is none before the first');
    await makeObservation(store, task, { image: Buffer.from('first') });
    const id = await makeObservation(store, task, { image: png });
    await makeObservation(store, task, { kind: 'page' });
    await makeObservation(store, task, { kind: 'download', image: Buffer.from('a file'), fileId: newId() });

    const response = await read(path);
    assert.equal(response.headers.get('content-type'), 'image/png');
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert.equal(response.headers.get('etag'), `"${id}"`);
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), png);
    for (const known of [`"${id}"`, `"x", W/"${id}"`, '*']) {
      const same = await read(path, { 'if-none-match': known });
      assert.equal(same.status, 304, known);
      assert.equal(await same.text(), '');
    }
    assert.equal((await read(path, { 'if-none-match': '"x"' })).status, 200);

    const wrapped = await read(`${path}?format=json`);
    assert.match(wrapped.headers.get('content-type') ?? '', /^application\/json/);
    const { success, screenshot } = (await wrapped.json()) as { success: true; screenshot: Record<string, unknown> };
    assert.equal(success, true);
    assert.equal(screenshot.task_id, task.id);
    assert.equal(screenshot.screenshot_base64, png.toString('base64'));
  });

  it('lists tasks, newest first, by session and by state', async () => {
    const older = await newTask();
    const newer = await makeTask(store, { owner, sessionId: older.session_id });
    await begin(newer);
    const idsOf = async (query: Parameters<typeof server.client.listTasks>[0]) =>
      (await server.client.listTasks(query)).tasks.map(({ id }) => id);
    const { session_id } = older;
    assert.deepEqual(await idsOf({ session_id }), [newer.id, older.id]);
    assert.deepEqual(await idsOf({ session_id, status: 'pending' }), [older.id]);
    assert.deepEqual(await idsOf({ session_id, status: 'failed' }), []);
    assert.deepEqual(await idsOf({ limit: 2 }), [newer.id, older.id]);
    assert.ok(!(await idsOf({ status: 'running' })).includes(older.id));
    assert.equal((await idsOf({ status: 'running' }))[0], newer.id);
  });

  it('answers a status whose cursor matches its content while the task goes on', async () => {
    const task = await newTask();
    const executionId = await begin(task);
    const writing = (async () => {
      for (let index = 1; index <= 150; index++) {
        await store.change(task.session_id, async (tx, append) => {
          await append({ taskId: task.id, kind: 'test', data: { step: index } });
          await store.steps.hold(tx, { taskId: task.id, executionId, index, title: 'x' });
        });
      }
    })();
    const told: { step: number; cursor: number }[] = [];
    while (told.at(-1)?.step !== 150) {
      const { status } = await server.client.getTaskStatus({ id: task.id });
      told.push({ step: status.current_step, cursor: Number(status.cursor) });
    }
    await writing;
    const events = await store.events.after(task.session_id, 0, { limit: 1000 });
    for (const { step, cursor } of told) {
      const last = events.findLast(({ seq, kind }) => seq <= cursor && kind === 'test');
      assert.equal(step, last?.data.step ?? 0);
    }
    assert.ok(new Set(told.map(({ step }) => step)).size > 3, 'it was read while it went on');
  });

  it('answers a snapshot whose cursor matches its content while the session changes', async () => {
    const { session_id: id } = await newTask();
    let isOver = false;
    const writing = (async () => {
      for (let i = 0; i < 100; i++) {
        await store.change(id, async (tx, append) => {
          const session = await store.sessions.move(tx, id, i % 2 === 0 ? 'work' : 'rest');
          await append({ kind: 'test', data: { status: session?.status } });
        });
      }
      isOver = true;
    })();
    const told: { status: string; cursor: number }[] = [];
    while (!isOver) {
      const { snapshot } = await server.client.getSession({ id });
      told.push({ status: snapshot.session.status, cursor: Number(snapshot.cursor) });
    }
    await writing;
    const events = await store.events.after(id, 0, { limit: 1000 });
    for (const { status, cursor } of told) {
      const last = events.findLast(({ seq, kind }) => seq <= cursor && kind === 'test');
      assert.equal(status, last?.data.status ?? 'idle');
    }
    assert.ok(new Set(told.map(({ cursor }) => cursor)).size > 3, 'it was read while it changed');
  });
});
