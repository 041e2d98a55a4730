import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { breakOff, events, refuse, reply, startTaskServer } from '../../testing/task-server.ts';
import { type Client, createClient, followRun, isApiError, runTask, type TaskUpdate } from '../index.ts';

const id = '01890000-0000-7000-8000-000000000001';
const progress = (status: string, step = 0) => ({ status, current_step: step, current_step_title: `step ${step}` });
const question = { text: 'Which?', asked_at: '2026-01-01T00:00:00.000Z', kind: 'question' };
const asks = (asked: object | null) => ({ type: 'message_state', message_state: { pending_question: asked } });
const end = { type: 'end', task_id: id, status: 'success' };
const status = (state: string, more = {}) =>
  reply({ success: true, status: { ...progress(state), task_id: id, cursor: 'c9', question: null, ...more } });
/** Waits no time, and counts it. */
const clock = () => {
  let now = 0;
  return {
    now: () => now,
    sleep: async (ms: number) => {
      now += ms;
    },
  };
};

describe('running a task', () => {
  let server: Awaited<ReturnType<typeof startTaskServer>>;
  let client: Client;
  beforeEach(async () => {
    server = await startTaskServer();
    client = createClient({ baseUrl: server.baseUrl, timeoutMs: 5000 });
  });
  afterEach(() => server.close());
  const collect = async (run: AsyncIterable<TaskUpdate>) => {
    const updates: TaskUpdate[] = [];
    for await (const update of run) updates.push(update);
    return updates;
  };

  it('starts one task, however often the answer is lost', async () => {
    const started = reply({ success: true, task_id: id, session_id: 's', status: 'pending' }, 202);
    server.on('POST /api/chat', breakOff, refuse('overloaded'), started);
    const run = await runTask(client, { prompt: 'open the shop' }, { clock: clock() });
    assert.deepEqual([run.taskId, run.sessionId], [id, 's']);
    const keys = server.to('/api/chat').map(({ headers }) => headers['idempotency-key']);
    assert.equal(keys.length, 3);
    assert.equal(new Set(keys).size, 1);
    assert.match(String(keys[0]), /^[0-9a-f]{32}$/);
  });

  it('gives up a start that the server refuses, at once, and one that is never answered, in time', async () => {
    server.on('POST /api/chat', refuse('quota_exceeded'));
    server.on('POST /api/chat', refuse('validation_failed'));
    await assert.rejects(runTask(client, { prompt: 'x' }, { clock: clock() }), (error) =>
      isApiError(error, 'validation_failed'),
    );
    assert.equal(server.to('/api/chat').length, 1);
    server.on('POST /api/chat', breakOff);
    await assert.rejects(runTask(client, { prompt: 'x' }, { clock: clock() }), { name: 'ConnectionError' });
  });

  it('tells progress until the end, and a question once', async () => {
    server.on(
      `GET /api/tasks/${id}/events`,
      events(
        { type: 'status', status: progress('running', 1) },
        { type: 'overlay', overlay: {} },
        asks(question),
        asks(question),
        asks(null),
        { type: 'result', result: { summary: 'done', data: null, files: [] } },
        end,
      ),
    );
    server.on(`GET /api/tasks/${id}/status`, status('success'));
    const run = followRun(client, id);
    const updates = await collect(run);
    assert.deepEqual(
      updates.map(({ type }) => type),
      ['status', 'question', 'question', 'result'],
    );
    assert.equal((await run.finished()).status, 'success');
    assert.equal(server.to(`/api/tasks/${id}/events`).length, 1, 'the end is known already');
  });

  it('goes on from what holds now where the log was removed', async () => {
    server.on(
      `GET /api/tasks/${id}/events`,
      events({ type: 'reset', reason: 'cursor_expired' }),
      events({ type: 'status', status: progress('running', 2) }, end),
    );
    server.on(`GET /api/tasks/${id}/status`, status('awaiting_user', { question }), status('success'));
    const updates = await collect(followRun(client, id));
    assert.deepEqual(
      updates.map((update) => (update.type === 'status' ? update.status.status : update.type)),
      ['awaiting_user', 'question', 'running'],
    );
    assert.match(server.to(`/api/tasks/${id}/events`)[1]?.path ?? '', /cursor=c9/);
  });

  it('answers each question once, though two loops follow, and takes no notice of an answer that was late', async () => {
    server.on(`GET /api/tasks/${id}/events`, events(asks(question), asks(null), end));
    server.on(`GET /api/tasks/${id}/status`, status('success'));
    server.on(`POST /api/tasks/${id}/user_takeover`, refuse('conflict'));
    const asked: string[] = [];
    const onQuestion = ({ text }: { text: string }) => {
      asked.push(text);
      return 'blue';
    };
    const run = followRun(client, id, { onQuestion });
    await Promise.all([collect(run), run.finished()]);
    assert.deepEqual(asked, ['Which?']);
    const [sent] = server.to(`/api/tasks/${id}/user_takeover`);
    assert.deepEqual(sent?.body, { answer: 'blue', asked_at: question.asked_at });
  });

  it('throws what a failed answer says, and what the caller throws', async () => {
    server.on(`GET /api/tasks/${id}/events`, events(asks(question)));
    server.on(`POST /api/tasks/${id}/user_takeover`, refuse('invalid_answer'));
    await assert.rejects(followRun(client, id, { onQuestion: () => 'blue' }).finished(), (error) =>
      isApiError(error, 'invalid_answer'),
    );
    const onQuestion = () => {
      throw new Error('nobody is here');
    };
    await assert.rejects(followRun(client, id, { onQuestion }).finished(), /nobody is here/);
  });

  it('ends with the signal, and leaves the task alone', async () => {
    server.on(`GET /api/tasks/${id}/events`, events({ type: 'status', status: progress('running', 1) }));
    const ending = new AbortController();
    const run = followRun(client, id, { signal: ending.signal });
    const following = collect(run);
    ending.abort(new Error('enough'));
    await assert.rejects(following, /enough/);
    assert.equal(server.seen.filter(({ path }) => path.endsWith('/cancel')).length, 0);
  });

  it('cancels, and a task that has ended stays as it is', async () => {
    server.on(`POST /api/tasks/${id}/cancel`, status('cancelled'), refuse('conflict'));
    server.on(`GET /api/tasks/${id}/status`, status('success'));
    const run = followRun(client, id);
    assert.equal((await run.cancel('enough')).status, 'cancelled');
    assert.deepEqual(server.to(`/api/tasks/${id}/cancel`)[0]?.body, { reason: 'enough' });
    assert.equal((await run.cancel()).status, 'success');
  });
});
