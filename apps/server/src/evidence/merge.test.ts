import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeByTime } from './merge.ts';

const closed: string[] = [];
async function* list(name: string, times: number[]) {
  try {
    for (const time of times) yield { name, at: new Date(time) };
  } finally {
    closed.push(name);
  }
}
const namesOf = (items: { name: string; at: Date }[]) => items.map(({ name, at }) => `${name}${at.getTime()}`);

test('lists become one in the order of time, and of the same time the earlier list comes first', async () => {
  const merged = await Array.fromAsync(mergeByTime([list('a', [2, 5]), list('b', [1, 2, 9]), list('c', [])]));
  assert.deepEqual(namesOf(merged), ['b1', 'a2', 'b2', 'a5', 'b9']);
});

test('a list that is not in order loses nothing', async () => {
  const merged = await Array.fromAsync(mergeByTime([list('a', [5, 1]), list('b', [3])]));
  assert.deepEqual(namesOf(merged), ['b3', 'a5', 'a1']);
});

test('all lists are closed when the reader leaves early', async () => {
  closed.length = 0;
  for await (const _ of mergeByTime([list('a', [1, 2]), list('b', [3])])) break;
  assert.deepEqual(closed.toSorted(), ['a', 'b']);
});
