import assert from 'node:assert/strict';
import { it } from 'node:test';
import { destroyAndRestore } from '../testkit/backup/restored.ts';
import { testSeed as seed } from '../testkit/seed.ts';
import { withTwoStacks } from '../testkit/stack/with-services.ts';

it('an installation that is backed up while a task works, and destroyed, is restored as it was, and the task goes on', async (test) => {
  const names: [string, string] = [`e2e-backup-${process.pid}`, `e2e-restore-${process.pid}`];
  const { wrong, ...figures } = await withTwoStacks(names, (stacks) => destroyAndRestore({ stacks, seed }));
  test.diagnostic(JSON.stringify(figures));
  assert.deepEqual(wrong, []);
  assert.ok(figures.tables > 20 && figures.blobs > 2, 'enough to say something');
});
