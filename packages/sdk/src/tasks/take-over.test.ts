import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { breakOff, events, refuse, reply, startTaskServer } from '../../testing/task-server.ts';
import { answerQuestion, type Client, createClient, giveFile, isApiError, takeOver } from '../index.ts';

const takeover = (status: string, more = {}) => ({ takeover_id: 't', status, epoch: 4, ...more });

describe('taking over', () => {
  let server: Awaited<ReturnType<typeof startTaskServer>>;
  let client: Client;
  beforeEach(async () => {
    server = await startTaskServer();
    client = createClient({ baseUrl: server.baseUrl, timeoutMs: 5000 });
  });
  afterEach(() => server.close());
  const sent = () =>
    server
      .to('/api/sessions/s/pointer')
      .map(({ body }) => (body.actions as { action: string; input_seq: number }[]).map((one) => one.input_seq));

  it('waits until the browser is the caller’s, and counts what is done once', async () => {
    server.on('POST /api/sessions/s/takeover', reply({ success: true, takeover: takeover('requested') }));
    server.on(
      'GET /api/sessions/s/live',
      events(
        { type: 'takeover', takeover: { ...takeover('active'), takeover_id: 'another' } },
        { type: 'takeover', takeover: takeover('active') },
      ),
    );
    server.on('POST /api/sessions/s/pointer', breakOff, reply({ success: true, seq: 2 }));
    server.on('POST /api/sessions/s/takeover/resume', reply({ success: true, takeover: takeover('ended') }));
    const driving = await takeOver(client, { session_id: 's' });
    await driving.input({ action: 'click', x: 1, y: 2 }, { action: 'type', text: 'rope' });
    await driving.input({ action: 'key', key: 'Enter' });
    assert.deepEqual(sent(), [[1, 2], [1, 2], [3]], 'a lost answer is asked for again under the same numbers');
    const actions = server.to('/api/sessions/s/pointer')[0]?.body.actions;
    const { client_id } = server.to('/api/sessions/s/takeover')[0]?.body ?? {};
    assert.ok(Array.isArray(actions));
    assert.deepEqual(actions[0], { action: 'click', x: 1, y: 2, takeover_id: 't', client_id, epoch: 4, input_seq: 1 });
    await driving.handBack('done');
    assert.deepEqual(server.to('/api/sessions/s/takeover/resume')[0]?.body, { note: 'done' });
  });

  it('sends input again under the same numbers and epoch while the browser does not answer', async () => {
    server.on('POST /api/sessions/s/takeover', reply({ success: true, takeover: takeover('active') }));
    const noAnswer = refuse('conflict', { 'retry-after': '0' });
    server.on('POST /api/sessions/s/pointer', noAnswer, noAnswer, reply({ success: true, seq: 1 }));
    const driving = await takeOver(client, { session_id: 's' });
    await driving.input({ action: 'back' });
    await driving.input({ action: 'forward' });
    assert.deepEqual(sent(), [[1], [1], [1], [2]]);
    const epochs = server
      .to('/api/sessions/s/pointer')
      .map(({ body }) => (body.actions as [{ epoch: number }])[0].epoch);
    assert.deepEqual(epochs, [4, 4, 4, 4]);
  });

  it('asks the host for its count after a refusal, because the browser may be another', async () => {
    server.on('POST /api/sessions/s/takeover', reply({ success: true, takeover: takeover('active') }));
    server.on('POST /api/sessions/s/pointer', refuse('conflict'), reply({ success: true, seq: 1 }));
    const counted = takeover('active', { epoch: 5, last_input_seq: 7 });
    server.on('POST /api/sessions/s/takeover/client', reply({ success: true, takeover: counted }));
    const driving = await takeOver(client, { session_id: 's' });
    await assert.rejects(driving.input({ action: 'back' }), (error) => isApiError(error, 'conflict'));
    assert.equal(driving.takeover.epoch, 5);
    await driving.input({ action: 'back' });
    assert.deepEqual(sent(), [[1], [8]]);
  });

  it('fails where it ends before it begins, or begins too late', async () => {
    server.on('POST /api/sessions/s/takeover', reply({ success: true, takeover: takeover('requested') }));
    server.on('GET /api/sessions/s/live', events({ type: 'takeover', takeover: takeover('ended') }));
    await assert.rejects(takeOver(client, { session_id: 's' }), /ended before it began/);
    server.on('GET /api/sessions/s/live', events({ type: 'viewers', viewers: 1 }));
    await assert.rejects(takeOver(client, { session_id: 's' }, { waitMs: 50 }), { name: 'TimeoutError' });
  });

  it('interrupts a task where it is asked to, and never by an empty answer', async () => {
    server.on('GET /api/tasks/a/status', reply({ success: true, status: { session_id: 's' } }));
    server.on('POST /api/tasks/a/user_takeover', reply({ success: true, status: {}, takeover: takeover('active') }));
    server.on('POST /api/tasks/a/manual_takeover/resume', reply({ success: true, takeover: takeover('ended') }));
    const driving = await takeOver(client, { task_id: 'a', now: true });
    assert.equal(driving.sessionId, 's');
    await driving.handBack();
    assert.equal(server.to('/api/tasks/a/manual_takeover/resume').length, 1);
    const question = { asked_at: '2026-01-01T00:00:00.000Z' };
    await assert.rejects(answerQuestion(client, { id: 'a', question, answer: '' }), /at least one character/);
    assert.equal(server.to('/api/tasks/a/user_takeover').length, 1);
  });
});

it('a file is given as base64, whatever its size', () => {
  assert.deepEqual(giveFile('a.txt', 'Grüße'), { name: 'a.txt', content_base64: 'R3LDvMOfZQ==' });
  const bytes = Uint8Array.from({ length: 200_000 }, (_, index) => index % 256);
  assert.deepEqual(Buffer.from(giveFile('b', bytes).content_base64, 'base64'), Buffer.from(bytes));
});
