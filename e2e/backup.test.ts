import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { createClient } from '@pilothouse/sdk';
import { startShop } from '@pilothouse/stack';
import pg from 'pg';
import { docBlock } from '../testkit/doc-blocks.ts';
import { startOffice } from '../testkit/pages/office.ts';
import { root } from '../testkit/stack/folders.ts';
import { freePort } from '../testkit/stack/ports.ts';
import { createStack, type Stack } from '../testkit/stack/stack.ts';
import { until } from '../testkit/until.ts';

const rounds = 10;
const person = { username: 'ada', email: 'ada@example.test', password: 'a long password of a test' };

const execute = promisify(execFile);
/** A block of the guide, for this installation. */
const run = (code: string, stack: Stack, folder: string) =>
  execute('bash', ['-euo', 'pipefail', '-c', code], {
    cwd: root,
    timeout: 120_000,
    env: {
      ...process.env,
      DATABASE_URL: stack.services.databaseUrl(),
      BLOB_DIR: join(stack.services.place.dir, 'blobs'),
      BACKUP: folder,
    },
  });
const inFolder = (code: string) => code.replaceAll('backup/', '"$BACKUP"/');

/** Every row of every table, by one number for each table. */
async function digestOf(client: pg.Client): Promise<Record<string, string>> {
  const { rows: tables } = await client.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
  );
  const digests: Record<string, string> = {};
  for (const { name } of tables) {
    const { rows } = await client.query<{ digest: string }>(
      `select count(*) || ' rows ' || coalesce(md5(string_agg(md5(t::text), '' order by md5(t::text))), '') as digest
       from only ${name} t`,
    );
    digests[name] = rows[0]?.digest ?? '';
  }
  return digests;
}

async function connected<T>(stack: Stack, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: stack.services.databaseUrl() });
  await client.connect();
  return work(client).finally(() => client.end());
}

const loggedIn = async (baseUrl: string) => {
  const { password, username } = person;
  const { access_token } = await createClient({ baseUrl }).login({ username_or_email: username, password });
  return { client: createClient({ baseUrl, token: () => access_token }), token: access_token };
};

it('an installation that is backed up while a task works, and destroyed, is restored as it was, and the task goes on', async (test) => {
  const folder = mkdtempSync(join(tmpdir(), 'pilothouse-backup-'));
  const [shop, office, port] = await Promise.all([startShop(), startOffice(), freePort()]);
  const sizes = { port, servers: 1, agents: 1, browsers: 1, disableAuth: false, sites: [shop.url, office.url] };
  const first = createStack(`e2e-backup-${process.pid}`);
  const second = createStack(`e2e-restore-${process.pid}`);
  const standing = new Set([first, second]);
  test.after(async () => {
    await Promise.all([shop.close(), office.close()]);
    for (const stack of standing) await stack.down({ wipe: true });
    rmSync(folder, { recursive: true, force: true });
  });
  const baseUrl = `http://127.0.0.1:${port}`;

  await first.up(sizes);
  await createClient({ baseUrl }).register(person);
  const { client: before } = await loggedIn(baseUrl);
  const done = await before.sendChat({ prompt: 'download "Report"', current_url: office.url });
  await until(async () => (await before.getTaskStatus({ id: done.task_id })).status.status === 'success', 60_000);
  const buy = `click "Add Brass lantern to basket"\nwait 1 s\nopen ${shop.url}/`;
  const working = await before.sendChat({
    prompt: [`open ${shop.url}/`, ...Array.from({ length: rounds }, () => buy)].join('\n'),
    time_limit_secs: 600,
  });
  const stepOf = async () => (await before.getTaskStatus({ id: working.task_id })).status.current_step;
  await until(async () => (await stepOf()) > 6, 60_000);
  const { snapshot } = await before.getSession({ id: done.session_id });
  const { result } = (await before.getTaskStatus({ id: done.task_id })).status;

  // What the dump holds is compared with what is there in the very moment of the dump.
  const digest = await connected(first, async (client) => {
    await client.query('begin isolation level repeatable read read only');
    const { rows } = await client.query<{ id: string }>('select pg_export_snapshot() as id');
    const { code } = docBlock('docs/operate/backup.md', 'pg_dump');
    await run(inFolder(code).replace('pg_dump', `pg_dump --snapshot=${rows[0]?.id}`), first, folder);
    return digestOf(client);
  });
  assert.ok((await stepOf()) < 3 * rounds, 'it was at work meanwhile');
  mkdirSync(join(folder, 'apart'));
  cpSync(join(first.services.place.dir, 'profile.key'), join(folder, 'apart/profile.key'));
  await first.down({ wipe: true });
  standing.delete(first);
  const bought = shop.posts.length;

  await second.services.up();
  cpSync(join(folder, 'apart/profile.key'), join(second.services.place.dir, 'profile.key'));
  const [restore = '', copy = '', migrate] = docBlock('docs/operate/backup.md', 'pg_restore').code.trim().split('\n');
  assert.equal(migrate, 'npm run migrate');
  await run(inFolder([restore, copy].join('\n')), second, folder);
  assert.deepEqual(await connected(second, digestOf), digest);
  await run(migrate, second, folder);
  test.diagnostic(`${Object.keys(digest).length} tables the same`);

  await second.up(sizes);
  const { client: after, token } = await loggedIn(baseUrl);
  const again = await after.getSession({ id: done.session_id });
  assert.equal(again.snapshot.last_frame?.screenshot_base64, snapshot.last_frame?.screenshot_base64);
  assert.deepEqual((await after.getTaskStatus({ id: done.task_id })).status.result, result);
  const [file] = result?.files ?? [];
  assert.ok(file);
  const brought = await fetch(new URL(file.path, baseUrl), { headers: { authorization: `Bearer ${token}` } });
  assert.equal(await brought.text(), 'name,price\nLantern,12\n');
  await until(async () => (await after.getTaskStatus({ id: working.task_id })).status.status !== 'running', 120_000);
  const { status, last_error } = (await after.getTaskStatus({ id: working.task_id })).status;
  assert.equal(status, 'success', last_error ?? '');
  assert.ok(shop.posts.length >= rounds && shop.posts.length > bought, 'it went on');
  assert.equal(new Set(shop.posts.map(({ visitor }) => visitor)).size, 1, 'with its cookies');
});
