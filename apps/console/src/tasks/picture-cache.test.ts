import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createPictureCache } from './picture-cache.ts';

function cacheOf(most: number) {
  const reads: string[] = [];
  const revoked: string[] = [];
  const broken = new Set<string>();
  const cache = createPictureCache({
    most,
    read: async (id) => {
      reads.push(id);
      if (broken.has(id)) throw new Error('no answer');
      return new Blob([id]);
    },
    create: (blob) => `blob:${blob.size}-${reads.length}`,
    revoke: (url) => revoked.push(url),
  });
  return { cache, reads, revoked, broken };
}

it('reads a picture once, and gives back the one that was looked at longest ago', async () => {
  const { cache, reads, revoked } = cacheOf(2);
  const first = await cache.get('a');
  const second = await cache.get('bb');
  assert.equal(await cache.get('a'), first);
  await cache.get('ccc');
  await Promise.resolve();
  assert.deepEqual(reads, ['a', 'bb', 'ccc']);
  assert.deepEqual(revoked, [second]);
  await cache.get('bb');
  assert.equal(reads.length, 4);
});

it('reads a picture again that could not be read', async () => {
  const { cache, reads, broken } = cacheOf(2);
  broken.add('a');
  await assert.rejects(cache.get('a'), /no answer/);
  broken.clear();
  await cache.get('a');
  assert.deepEqual(reads, ['a', 'a']);
});
