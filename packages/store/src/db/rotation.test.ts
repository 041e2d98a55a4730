// The commands of docs/operate/rotation.md do what it says.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { it } from 'node:test';
import { docBlock } from '../../../../testkit/doc-blocks.ts';
import { createEmptyDatabase } from '../../testing/database.ts';
import { openDatabase } from './db.ts';
import { createSealer } from './encryption.ts';
import { migrate } from './migrate.ts';

it('the command for a profile key makes one that seals', () => {
  const { code } = docBlock('docs/operate/rotation.md', 'openssl rand');
  const key = Buffer.from(execFileSync('sh', ['-c', code], { encoding: 'utf8', timeout: 10_000 }).trim(), 'base64');
  assert.equal(key.length, 32);
  const sealer = createSealer([key]);
  assert.deepEqual(sealer.open(sealer.seal({ kept: true }, 'a row'), 'a row'), { kept: true });
});

it('two roles that log in are both the owner, and each works on what the other made', async () => {
  const owner = `rotated_${process.pid}`;
  const empty = await createEmptyDatabase();
  const admin = openDatabase({ url: empty.url, poolSize: 1, onError: () => {} });
  const { code } = docBlock('docs/operate/rotation.md', 'create role pilothouse_a');
  const roles = ['a', 'b'].map((letter) => `${owner}_${letter}`);
  const opened = roles.map((role) => {
    const url = new URL(empty.url);
    [url.username, url.password] = [role, 'of-a-test'];
    return { url: url.href, database: openDatabase({ url: url.href, poolSize: 1, onError: () => {} }) };
  });
  try {
    await admin.pool.query(`create role ${owner} nologin`);
    await admin.pool.query(`alter database ${new URL(empty.url).pathname.slice(1)} owner to ${owner}`);
    await admin.pool.query(code.replaceAll('pilothouse', owner).replaceAll('…', 'of-a-test'));
    await migrate(opened[0]?.url ?? '');
    for (const { database } of opened) {
      const { rows } = await database.pool.query(
        'select current_user as role, (select count(*)::int from tasks) as tasks',
      );
      assert.deepEqual(rows, [{ role: owner, tasks: 0 }]);
      await database.pool.query('alter table tasks add column of_a_test int');
      await database.pool.query('alter table tasks drop column of_a_test');
    }
  } finally {
    for (const { database } of opened) await database.close();
    await admin.pool.query(`drop owned by ${[owner, ...roles].join(', ')} cascade`);
    await admin.close();
    await empty.close();
    await onServer([...roles, owner].map((role) => `drop role ${role}`));
  }
});

/** The database is gone by then, and with it what the roles owned. */
async function onServer(statements: string[]): Promise<void> {
  const server = openDatabase({ url: process.env.TEST_DATABASE_URL ?? '', poolSize: 1, onError: () => {} });
  for (const statement of statements) await server.pool.query(statement);
  await server.close();
}
