import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Step } from '@pilothouse/contract';
import pg from 'pg';
import { until } from '../../../../testkit/until.ts';
import { createEmptyDatabase, createTestDatabase } from '../../testing/database.ts';
import { localUser, migrate, newId, openStore, taskTitleOf } from '../index.ts';

describe('a migration', () => {
  it('takes the prompts of scripts out of the titles that an earlier release gave', async () => {
    const database = await createTestDatabase();
    const store = openStore({ url: database.url, blobDir: '/nonexistent', poolSize: 2, onError: () => {} });
    try {
      await store.users.ensureLocal();
      const steps: Step[] = [
        { action: 'navigate', url: 'https://anna:hunter2@shop.test/a?b' },
        { action: 'type', target: { label: 'Password' }, text: 'hunter2' },
        { action: 'type', target: 'Again', text: 'hunter2', title: 'Repeat hunter2' },
        { action: 'press', key: 'h' },
        { action: 'double_click', target: 'Log in' },
      ];
      /** As the release before made them: called after the prompt. */
      const made = async (plan: Step[], title: string, ofSession: string) => {
        const [id, sessionId] = [newId(), newId()];
        const result = { summary: `Done: ${title}`, data: { kept: 1 }, files: [] };
        await store.change(sessionId, async (tx) => {
          const viewport = { width: 800, height: 600 };
          await store.sessions.create(tx, localUser, { id: sessionId, title: ofSession, viewport });
          const given = { title, prompt: title, plan: { steps: plan }, settings: {}, totalSteps: plan.length };
          await store.tasks.create(tx, localUser, { id, sessionId, ...given });
          await tx.client.query('update tasks set result = $2 where id = $1', [id, result]);
        });
        return async () => {
          const task = await store.tasks.byId(id);
          const session = await store.sessions.byId(sessionId);
          return { task: task?.title, session: session?.title, result: task?.result };
        };
      };
      const scripted = await made(steps, 'type "hunter2" into', 'type "hunter2" into');
      const named = await made(steps, 'type "hunter2" into', 'Mine');
      const open = await made([], 'Find a lantern', 'Find a lantern');
      const text = await readFile(join(import.meta.dirname, 'migrations/0016-titles-from-steps.sql'), 'utf8');
      await store.transaction(({ client }) => client.query(text));
      const title = taskTitleOf(steps);
      assert.equal(title, 'Open shop.test, Type into "Password", Repeat ••••••, Press a key, Double click …');
      const result = { summary: `Done: ${title}`, data: { kept: 1 }, files: [] };
      assert.deepEqual(await scripted(), { task: title, session: title, result });
      assert.deepEqual(await named(), { task: title, session: 'Mine', result });
      assert.equal((await open()).task, 'Find a lantern');
      assert.equal((await open()).session, 'Find a lantern');
    } finally {
      await store.close();
      await database.close();
    }
  });

  it('gives up on a database that never answers', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    await assert.rejects(migrate(`postgresql://a:b@127.0.0.1:${port}/c`, { timeoutMs: 300 }), /did not end within/);
    silent.close();
  });

  it('waits for the lock until its timeout, and fails at once when its connection breaks', async () => {
    const database = await createEmptyDatabase();
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    try {
      await other.query('select pg_advisory_lock(7464102)');
      await assert.rejects(migrate(database.url, { timeoutMs: 400 }), /did not end within 400 ms/);

      const others = 'from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
      const asking = async () =>
        (await other.query(`select ${others} and query like '%pg_try_advisory_lock%'`)).rowCount ?? 0;
      await until(async () => (await asking()) === 0, 5000);
      // A break that is not noticed ends with the timeout, and with another message.
      const waiting = assert.rejects(migrate(database.url, { timeoutMs: 20_000 }), /terminat/);
      await until(async () => (await asking()) === 1, 5000);
      await other.query(`select pg_terminate_backend(pid) ${others}`);
      await waiting;
    } finally {
      await other.end();
      await database.close();
    }
  });
});
