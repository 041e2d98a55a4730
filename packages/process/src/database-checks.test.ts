import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { refusePooler, warnOfSuperuser } from './database-checks.ts';
import { createLog } from './log.ts';

it('a role that may do everything is warned about, and one that cannot be asked is not', async () => {
  const lines: string[] = [];
  const log = createLog('test', 'info', { write: (line) => void lines.push(line) });
  warnOfSuperuser({ isSuperuser: async () => false }, log);
  warnOfSuperuser({ isSuperuser: () => Promise.reject(new Error('no answer')) }, log);
  await setImmediate();
  assert.deepEqual(lines, []);
  warnOfSuperuser({ isSuperuser: async () => true }, log);
  await setImmediate();
  assert.match(lines.join(), /"level":"warn".*is a superuser of PostgreSQL/);
});

it('a pooler that shares connections is refused in words, and a database that does not answer is not', async () => {
  await refusePooler(async () => false);
  await refusePooler(() => Promise.reject(new Error('no answer')));
  await assert.rejects(
    refusePooler(async () => true),
    /DATABASE_URL: a pooler .*Connect directly/,
  );
});
