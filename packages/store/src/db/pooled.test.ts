import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { freePort } from '../../../../testkit/stack/ports.ts';
import { until } from '../../../../testkit/until.ts';
import { createTestDatabase } from '../../testing/database.ts';
import { isPooled } from './pooled.ts';

/** PgBouncer, which refuses to run as root, before the database. */
async function startPooler(url: string, mode: 'session' | 'transaction' | 'statement') {
  const folder = await mkdtemp(join(tmpdir(), 'pilothouse-pooler-'));
  const port = await freePort();
  const { hostname, port: databasePort, username, password, pathname } = new URL(url);
  const name = pathname.slice(1);
  const settings = join(folder, 'pgbouncer.ini');
  await writeFile(
    settings,
    `[databases]
${name} = host=${hostname} port=${databasePort} dbname=${name} user=${username} password=${decodeURIComponent(password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
auth_type = any
pool_mode = ${mode}
unix_socket_dir =
`,
  );
  await Promise.all([chmod(folder, 0o755), chmod(settings, 0o644)]);
  const isRoot = process.getuid?.() === 0;
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  const child = spawn('/usr/sbin/pgbouncer', ['-q', settings], {
    stdio: 'ignore',
    ...(isRoot && { uid: idOf('-u'), gid: idOf('-g') }),
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const pooled = new URL(url);
  pooled.hostname = '127.0.0.1';
  pooled.port = String(port);
  await until(
    () =>
      isPooled(pooled.href).then(
        () => true,
        () => false,
      ),
    10_000,
  );
  return {
    url: pooled.href,
    async close() {
      child.kill();
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

describe('a pooler before the database', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database?.close());

  it('is none where we connect directly', async () => {
    assert.equal(await isPooled(database.url), false);
  });

  for (const [mode, isShared] of [
    ['session', false],
    ['transaction', true],
  ] as const)
    it(`${isShared ? 'is found' : 'does no harm'} in ${mode} mode`, async () => {
      const pooler = await startPooler(database.url, mode);
      try {
        assert.equal(await isPooled(pooler.url), isShared);
      } finally {
        await pooler.close();
      }
    });
});
