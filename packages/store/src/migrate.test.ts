import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createEmptyDatabase } from '../testing/database.ts';
import { migrate } from './migrate.ts';

describe('a migration', () => {
  it('gives up on a database that never answers', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    await assert.rejects(migrate(`postgresql://a:b@127.0.0.1:${port}/c`, { timeoutMs: 300 }), /did not end within/);
    silent.close();
  });

  it('waits its turn only so long, and fails at once when its connection breaks', async () => {
    const database = await createEmptyDatabase();
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    try {
      await other.query('select pg_advisory_lock(7464102)');
      await assert.rejects(migrate(database.url, { timeoutMs: 400 }), /did not end within 400 ms/);

      const begun = performance.now();
      const waiting = assert.rejects(migrate(database.url, { timeoutMs: 20_000 }), /terminat/);
      await sleep(400);
      await other.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
      await waiting;
      assert.ok(performance.now() - begun < 5000);
    } finally {
      await other.end();
      await database.close();
    }
  });
});
