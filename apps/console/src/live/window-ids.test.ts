import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createWindowIds, randomId } from './window-ids.ts';

function createStorage() {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
}

it('a tab that is loaded again knows the name under which it counted, of this session only', () => {
  const storage = createStorage();
  const id = createWindowIds('one', storage, randomId).create();
  assert.equal(createWindowIds('one', storage, randomId).isOwn(id), true);
  assert.equal(createWindowIds('two', storage, randomId).isOwn(id), false);
  assert.equal(createWindowIds('one', createStorage(), randomId).isOwn(id), false);
});

it('earlier names stay known for a while, since an answer on its way may carry one', () => {
  let count = 0;
  const ids = createWindowIds('one', createStorage(), () => `id-${count++}`);
  const [first, second] = [ids.create(), ids.create()];
  assert.equal(ids.isOwn(first) && ids.isOwn(second), true);
  for (let more = 0; more < 8; more += 1) ids.create();
  assert.equal(ids.isOwn(first), false);
});

it('without a place to keep them the names last until the page is left', () => {
  const refusing = {
    getItem: () => null,
    setItem: () => {
      throw new Error('not allowed');
    },
  };
  const ids = createWindowIds('one', refusing, randomId);
  assert.equal(ids.isOwn(ids.create()), true);
});
