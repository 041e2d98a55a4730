import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SentAction } from './input-queue.ts';
import { createLeftInputs } from './left-inputs.ts';

function createStorage() {
  const kept = new Map<string, string>();
  return {
    kept,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
}
const typed = (text: string, input_seq: number): SentAction => ({
  action: 'type',
  text,
  takeover_id: 't1',
  client_id: 'tab',
  epoch: 2,
  input_seq,
});

describe('inputs that were not answered when the page went away', () => {
  it('are sent by the page after it, those that did not arrive, without their names', () => {
    const storage = createStorage();
    createLeftInputs('s', storage).keep([typed('a', 7), typed('b', 8)]);
    const after = createLeftInputs('s', storage);
    assert.deepEqual(after.take('t1', 2, 7), [{ action: 'type', text: 'b' }]);
    assert.deepEqual([after.take('t1', 2, 7), storage.kept.size], [[], 0], 'and never twice');
  });

  it('are forgotten under another takeover or in a browser that was opened again', () => {
    for (const [takeoverId, epoch] of [
      ['t2', 2],
      ['t1', 3],
    ] as const) {
      const storage = createStorage();
      createLeftInputs('s', storage).keep([typed('a', 7)]);
      assert.deepEqual(createLeftInputs('s', storage).take(takeoverId, epoch, 0), []);
      assert.equal(storage.kept.size, 0);
    }
  });

  it('are lost without harm where the browser keeps nothing or something else', () => {
    createLeftInputs('s', undefined).keep([typed('a', 1)]);
    assert.deepEqual(createLeftInputs('s', undefined).take('t1', 1, 0), []);
    const storage = createStorage();
    for (const other of ['{"actions', '{"actions":[]}']) {
      storage.kept.set('pilothouse.left.s', other);
      assert.deepEqual(createLeftInputs('s', storage).take('t1', 1, 0), []);
    }
  });
});
