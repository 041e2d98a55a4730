import assert from 'node:assert/strict';
import { it } from 'node:test';
import { followStream } from './follow.ts';

it('a stream that is reset is read again and followed from the new cursor', async () => {
  const cursors = ['1', '7'];
  const opened: string[] = [];
  const applied: string[] = [];
  await followStream({
    read: async () => cursors.shift() ?? assert.fail('read once too often'),
    async *open(cursor) {
      opened.push(cursor);
      yield { type: 'status' };
      yield { type: cursor === '1' ? 'reset' : 'end' };
    },
    apply: ({ type }) => applied.push(type),
    signal: new AbortController().signal,
  });
  assert.deepEqual(opened, ['1', '7']);
  assert.deepEqual(applied, ['status', 'reset', 'status', 'end']);
});

it('a stream that is refused leaves the view, and says that it is not live', async () => {
  const states: string[] = [];
  const stop = new AbortController();
  const options = {
    read: async () => '1',
    open: () => ({
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('refused')) }),
    }),
    apply: () => assert.fail('nothing came'),
    onConnection: (state: string) => states.push(state),
    signal: stop.signal,
  };
  await followStream(options);
  assert.deepEqual(states, ['refused']);
  stop.abort();
  await followStream(options);
  assert.deepEqual(states, ['refused'], 'an end that was wanted is none');
});
