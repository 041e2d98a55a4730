import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { feedHog } from './hogs.ts';

describe('hogs', () => {
  test('a page that takes ever more memory is ended and reported, and its neighbour acts on', async () => {
    const { ended, failed, left, beside_ms } = await feedHog('wasm', {
      rounds: 1,
      quietMs: 500,
      boundMs: 60_000,
      neighbours: 1,
    });
    assert.deepEqual(ended, { memory: 1 });
    assert.deepEqual(failed, []);
    assert.equal(left, 0);
    assert.ok(beside_ms.count > 0);
  });

  test('a page that opens ever more others is ended and reported, and its neighbour acts on', async () => {
    const { ended, failed, left, warned } = await feedHog('popups', {
      rounds: 1,
      quietMs: 500,
      boundMs: 60_000,
      neighbours: 1,
    });
    assert.deepEqual(ended, { pages: 1 });
    assert.ok(warned > 0);
    assert.deepEqual(failed, []);
    assert.equal(left, 0);
  });
});
