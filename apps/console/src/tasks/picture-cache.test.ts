import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as settled } from 'node:timers/promises';
import { createPictureCache } from './picture-cache.ts';

function cacheOf(most: number) {
  const reads: string[] = [];
  const revoked: string[] = [];
  const broken = new Set<string>();
  const slow = new Map<string, () => void>();
  const cache = createPictureCache({
    most,
    read: async (id) => {
      reads.push(id);
      if (broken.has(id)) throw new Error('no answer');
      if (id.startsWith('slow')) await new Promise<void>((resolve) => slow.set(id, resolve));
      return new Blob([id]);
    },
    create: (blob) => `blob:${blob.size}-${reads.length}`,
    revoke: (url) => revoked.push(url),
  });
  /** Looks at a picture for as long as it takes to read it. */
  const look = async (id: string) => {
    const { picture, letGo } = cache.hold(id);
    return picture.finally(letGo);
  };
  return { cache, look, reads, revoked, broken, arrive: (id: string) => slow.get(id)?.() };
}

it('reads a picture once, and gives back the one that was looked at longest ago', async () => {
  const { look, reads, revoked } = cacheOf(2);
  const first = await look('a');
  const second = await look('bb');
  assert.equal(await look('a'), first);
  await look('ccc');
  await settled();
  assert.deepEqual(reads, ['a', 'bb', 'ccc']);
  assert.deepEqual(revoked, [second]);
  await look('bb');
  assert.equal(reads.length, 4);
});

it('reads a picture again that could not be read', async () => {
  const { look, reads, broken } = cacheOf(2);
  broken.add('a');
  await assert.rejects(look('a'), /no answer/);
  broken.clear();
  await look('a');
  assert.deepEqual(reads, ['a', 'a']);
});

it('never gives back a picture that a row shows, also one that came after many others were asked for', async () => {
  const { cache, look, revoked, arrive } = cacheOf(2);
  const shown = cache.hold('slow one');
  for (const id of ['a', 'bb', 'ccc']) await look(id);
  arrive('slow one');
  const url = await shown.picture;
  await look('dddd');
  await settled();
  assert.ok(!revoked.includes(url), 'the row shows it');
  shown.letGo();
  for (const id of ['a', 'bb']) await look(id);
  await settled();
  assert.ok(revoked.includes(url), 'no row shows it any more');
});

it('gives back a picture that comes when no row wants it any more', async () => {
  const { cache, look, revoked, arrive } = cacheOf(1);
  const left = cache.hold('slow one');
  left.letGo();
  await look('a');
  arrive('slow one');
  const url = await left.picture;
  await settled();
  assert.deepEqual(revoked, [url]);
});
