import assert from 'node:assert/strict';
import { it } from 'node:test';
import { killMigrations, raceMigrations } from './migrate.ts';

it('ten migrations started at once on an empty database all succeed and leave one schema', async () => {
  const { starts, failed, schemas } = await raceMigrations({ rounds: 2, starters: 10 });
  assert.equal(starts, 20);
  assert.equal(failed, 0);
  assert.equal(schemas.size, 1);
});

it('migrations that are killed again and again go on where they stopped, and leave the same schema', async () => {
  const { schemas } = await raceMigrations({ rounds: 1, starters: 1 });
  const { kills, schema } = await killMigrations({ firstMs: 250, growMs: 40 });
  assert.ok(kills >= 1, 'at least one was killed');
  assert.deepEqual([...schemas], [schema]);
});
