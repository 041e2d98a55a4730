import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
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

/** A process whose database answers at the third time. */
const lateDatabase = (isPooled: boolean) => `
import { refusePooler, run } from ${JSON.stringify(join(import.meta.dirname, 'index.ts'))};
let asked = 0;
run('test', async () => {
  await refusePooler(async () => {
    asked += 1;
    if (asked < 3) throw new Error('no answer');
    setTimeout(() => process.kill(process.pid, 'SIGTERM'), 300);
    return ${isPooled};
  }, { againMs: 20 });
  const kept = setInterval(() => {}, 1000);
  return { log: { info() {}, error() {}, fatal: ({ err }) => console.error(err.message) }, close: async () => clearInterval(kept) };
});`;
const endOf = (isPooled: boolean) =>
  spawnSync(process.execPath, ['--input-type=module', '--eval', lateDatabase(isPooled)], {
    encoding: 'utf8',
    timeout: 20_000,
  });

it('a pooler that is found when the database answers at last ends the process', () => {
  const { status, stderr } = endOf(true);
  assert.equal(status, 1, stderr);
  assert.match(stderr, /DATABASE_URL: a pooler /);
});

it('a database without one that answers at last does not', () => {
  const { status, stderr } = endOf(false);
  assert.deepEqual([status, stderr], [0, '']);
});
