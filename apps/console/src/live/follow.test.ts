import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ApiError } from '@pilothouse/sdk';
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
  let error: Error = new ApiError({
    success: false,
    type: 'about:blank',
    title: 'Not found',
    status: 404,
    code: 'not_found',
    detail: 'There is no such session.',
    request_id: 'r1',
  });
  const options = {
    read: async () => '1',
    open: () => ({
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }),
    }),
    apply: () => assert.fail('nothing came'),
    onConnection: (state: string) => states.push(state),
    signal: stop.signal,
  };
  await followStream(options);
  assert.deepEqual(states, ['refused']);
  error = new TypeError('a mistake of the console');
  await assert.rejects(followStream(options), { name: 'TypeError' });
  assert.deepEqual(states, ['refused', 'refused'], 'a mistake of our own is not hidden');
  stop.abort();
  await followStream(options);
  assert.deepEqual(states, ['refused', 'refused'], 'an end that was wanted is none');
});
