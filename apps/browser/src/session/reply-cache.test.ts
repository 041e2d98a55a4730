import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createReplyCache } from './reply-cache.ts';

type Reply = { text: string; image: number[] };
const lighten = ({ text }: Reply): Reply => ({ text, image: [] });

it('the last reply is kept whole, those before it without what is large, and the oldest not at all', async () => {
  const cache = createReplyCache(lighten, 3);
  for (const name of ['a', 'b', 'c', 'd']) await cache.keep(name, Promise.resolve({ text: name, image: [1, 2, 3] }));
  assert.equal(cache.get('a'), undefined);
  assert.deepEqual(await cache.get('b'), { text: 'b', image: [] });
  assert.deepEqual(await cache.get('c'), { text: 'c', image: [] });
  assert.deepEqual(await cache.get('d'), { text: 'd', image: [1, 2, 3] });
});

it('a command that is under way is whole for those who wait for it, also where another comes meanwhile', async () => {
  const cache = createReplyCache(lighten);
  const { promise, resolve } = Promise.withResolvers<Reply>();
  const first = cache.keep('a', promise);
  const second = cache.keep('b', Promise.resolve({ text: 'b', image: [2] }));
  resolve({ text: 'a', image: [1] });
  assert.deepEqual(await first, { text: 'a', image: [1] });
  assert.deepEqual(await second, { text: 'b', image: [2] });
  assert.deepEqual(await cache.get('a'), { text: 'a', image: [] });
});

it('a reply that failed fails for everybody who asks, and for nobody else', async () => {
  const cache = createReplyCache(lighten);
  await assert.rejects(cache.keep('a', Promise.reject(new Error('gone'))), /gone/);
  cache.keep('b', Promise.resolve({ text: 'b', image: [] }));
  await assert.rejects(cache.get('a') ?? Promise.resolve(), /gone/);
});
