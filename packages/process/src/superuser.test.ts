import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createLog } from './log.ts';
import { warnOfSuperuser } from './superuser.ts';

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
