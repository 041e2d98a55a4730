import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { maxTaskMessages } from '@pilothouse/contract';
import { startTestServer, type TestServer } from '../../testing/server.ts';

describe('messages to a task', () => {
  let one: TestServer;
  let other: TestServer;
  before(async () => {
    one = await startTestServer({ isAuthDisabled: true });
    other = await one.another();
  });
  after(() => one.close());

  const start = () => one.client.sendChat({ prompt: 'x', steps: [{ action: 'reload' }] });
  const notesOf = async (id: string) =>
    (await other.client.getMessageState({ id })).message_state.items.filter(({ kind }) => kind === 'note');

  it('are numbered, shown in the conversation and in the streams, and read by nobody while a script decides', async () => {
    const { task_id: id, session_id } = await start();
    const { cursor } = (await one.client.getTaskStatus({ id })).status;
    const { message } = await one.client.sendTaskMessage({ id, text: 'The blue one' });
    assert.deepEqual(
      { ...message, recorded_at: '' },
      { task_id: id, number: 1, text: 'The blue one', recorded_at: '', read_by: 'nobody' },
    );
    assert.equal((await other.client.sendTaskMessage({ id, text: 'No, the red one' })).message.number, 2);
    const notes = await notesOf(id);
    assert.deepEqual(
      notes.map(({ role, content }) => [role, content]),
      [
        ['user', 'The blue one'],
        ['user', 'No, the red one'],
      ],
    );
    const { snapshot } = await other.client.getSession({ id: session_id });
    assert.deepEqual(snapshot.message_state?.items.slice(1), notes);
    const told: string[][] = [];
    for await (const event of other.client.followTask({ id, cursor })) {
      if (event.type !== 'message_state') continue;
      told.push(event.message_state.items.slice(1).map(({ content }) => content));
      if (told.length === 2) break;
    }
    assert.deepEqual(told, [['The blue one'], ['The blue one', 'No, the red one']]);
    const { logs } = await one.client.listLogs({ id });
    assert.ok(logs.every(({ message: line }) => line.includes('does not read messages')) && logs.length === 2);
    const rows = await one.store.taskMessages.of(id, { after: 1 });
    assert.deepEqual(
      rows.map(({ number, text }) => [number, text]),
      [[2, 'No, the red one']],
      'a planner goes on behind the last that it has read',
    );
  });

  it('are refused once the task has ended, and beyond their number and length', async () => {
    const { task_id: id } = await start();
    await assert.rejects(one.client.sendTaskMessage({ id, text: '' }), { code: 'validation_failed' });
    await assert.rejects(one.client.sendTaskMessage({ id, text: 'x'.repeat(2001) }), { code: 'validation_failed' });
    const sends = Array.from({ length: maxTaskMessages + 5 }, (_, index) =>
      (index % 2 === 0 ? one : other).client.sendTaskMessage({ id, text: `${index}` }),
    );
    const settled = await Promise.allSettled(sends);
    const numbers = settled.flatMap((sent) => (sent.status === 'fulfilled' ? sent.value.message.number : []));
    assert.deepEqual(
      numbers.sort((a, b) => a - b),
      Array.from({ length: maxTaskMessages }, (_, index) => index + 1),
    );
    await assert.rejects(one.client.sendTaskMessage({ id, text: 'x' }), { code: 'conflict', status: 409 });
    const ended = (await start()).task_id;
    await one.client.cancelTask({ id: ended });
    await assert.rejects(one.client.sendTaskMessage({ id: ended, text: 'x' }), { code: 'conflict', status: 409 });
    assert.equal((await one.store.taskMessages.of(ended)).length, 0);
  });

  it('are in the conversation of a task that is cancelled, and removed by a purge', async () => {
    const { task_id: id, session_id } = await start();
    await one.client.sendTaskMessage({ id, text: 'my secret' });
    await one.client.cancelTask({ id });
    assert.equal((await notesOf(id))[0]?.content, 'my secret');
    await one.client.deleteSession({ id: session_id, purge: true });
    assert.deepEqual(await one.store.taskMessages.of(id), []);
    assert.ok(!JSON.stringify(await other.client.getMessageState({ id })).includes('my secret'));
  });
});
