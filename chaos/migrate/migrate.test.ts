import assert from 'node:assert/strict';
import { it } from 'node:test';
import { raceMigrations } from './migrate.ts';

it('ten migrations started at once on an empty database all succeed and leave one schema', async () => {
  const { starts, failed, schemas } = await raceMigrations({ rounds: 2, starters: 10 });
  assert.equal(starts, 20);
  assert.equal(failed, 0);
  assert.equal(schemas.size, 1);
});
