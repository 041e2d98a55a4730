import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createConnection } from './connection.ts';

it('is lost while the stream reconnects, and says so once for each change', () => {
  const connection = createConnection();
  const told: boolean[] = [];
  const stop = connection.onChange(() => told.push(connection.isLost()));
  for (const state of ['connected', 'reconnecting', 'reconnecting', 'connected', 'connected'] as const)
    connection.tell(state);
  assert.deepEqual(told, [true, false]);
  stop();
  connection.tell('reconnecting');
  assert.deepEqual(told, [true, false]);
  assert.equal(connection.isLost(), true);
});
