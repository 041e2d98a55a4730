// An installation is backed up while a task works, destroyed, and restored in a new one: everything is there, and the task goes on.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@pilothouse/sdk';
import { type Shop, startShop } from '@pilothouse/stack';
import pg from 'pg';
import { startOffice } from '../pages/office.ts';
import { createRandom } from '../random.ts';
import { freePort } from '../stack/ports.ts';
import type { Stack } from '../stack/stack.ts';
import { until } from '../until.ts';
import { differences, digestOfFiles, digestOfRows } from './digests.ts';
import { backUp, blobDirOf, restore } from './guide.ts';

/** The one that is destroyed, and the one that comes after it. */
export type RestoreOptions = { stacks: [Stack, Stack]; seed: number };

const buys = 10;
/** Of the task that works: it opens the shop, and then presses, waits and opens it again. */
const steps = 1 + 3 * buys;
/** The backup begins after one of these steps. */
const firstSteps = { from: 4, to: steps - 13 };
const taskMs = 60_000;
const restMs = 240_000;
const person = { username: 'ada', email: 'ada@example.test', password: 'a long password of a test' };

export async function destroyAndRestore({ stacks: [first, second], seed }: RestoreOptions) {
  const folder = mkdtempSync(join(tmpdir(), 'pilothouse-backup-'));
  const [shop, office, port] = await Promise.all([startShop(), startOffice(), freePort()]);
  const size = { port, servers: 1, agents: 1, browsers: 1, disableAuth: false, sites: [shop.url, office.url] };
  const baseUrl = `http://127.0.0.1:${port}`;
  const wrong: string[] = [];
  try {
    await first.up(size);
    await createClient({ baseUrl }).register(person);
    const before = await logIn(baseUrl);
    const tasks = await giveTasks(before.client, { shopUrl: shop.url, officeUrl: office.url });
    const stepOf = async () => (await statusOf(before.client, tasks.working)).current_step;
    const { from, to } = firstSteps;
    const atStep = Math.floor(createRandom(seed).between(from, to));
    await until(async () => (await stepOf()) > atStep, taskMs);
    const seen = await lookAround(before, tasks.done);
    const boughtBefore = shop.posts.length;
    let at = performance.now();
    const rows = await connected(first, async (client) => {
      // What the dump holds is compared with what is there in the very moment of the dump.
      await client.query('begin isolation level repeatable read read only');
      const { rows: exported } = await client.query<{ id: string }>('select pg_export_snapshot() as id');
      await backUp(first, folder, exported[0]?.id ?? '');
      return digestOfRows(client);
    });
    const backup_ms = Math.round(performance.now() - at);
    if ((await stepOf()) >= steps) wrong.push('the task had ended when the backup had: it did not work meanwhile');
    await first.down({ wipe: true });
    const boughtUntil = shop.posts.length;

    await second.services.up();
    at = performance.now();
    const { migrate } = await restore(second, folder);
    for (const table of differences(rows, await connected(second, digestOfRows)))
      wrong.push(`not the rows of ${table}`);
    const files = digestOfFiles(join(folder, 'blobs'));
    for (const file of differences(files, digestOfFiles(blobDirOf(second)))) wrong.push(`not the blob ${file}`);
    await migrate();
    const restore_ms = Math.round(performance.now() - at);

    at = performance.now();
    await second.up(size);
    const after = await logIn(baseUrl);
    for (const what of differences(seen, await lookAround(after, tasks.done))) wrong.push(`not the ${what} of before`);
    await until(async () => (await statusOf(after.client, tasks.working)).status !== 'running', restMs);
    const { status, last_error } = await statusOf(after.client, tasks.working);
    if (status !== 'success') wrong.push(`the task that worked is ${status}: ${last_error}`);
    wrong.push(...wrongIn(shop, { boughtBefore, boughtUntil }));
    const went_on_ms = Math.round(performance.now() - at);
    const stored = { tables: Object.keys(rows).length, blobs: Object.keys(files).length };
    return { wrong, at_step: atStep, ...stored, backup_ms, restore_ms, went_on_ms };
  } finally {
    await Promise.all([shop.close(), office.close()]);
    rmSync(folder, { recursive: true, force: true });
  }
}
export type RestoreFigures = Awaited<ReturnType<typeof destroyAndRestore>>;

type LoggedIn = { client: Client; baseUrl: string; token: string };
async function logIn(baseUrl: string): Promise<LoggedIn> {
  const { password, username } = person;
  const { access_token: token } = await createClient({ baseUrl }).login({ username_or_email: username, password });
  return { client: createClient({ baseUrl, token: () => token }), baseUrl, token };
}

type Task = { task_id: string; session_id: string };
const statusOf = async (client: Client, { task_id: id }: Task) => (await client.getTaskStatus({ id })).status;

/** One that has ended and left a picture and a file, and one that works for a while. */
async function giveTasks(client: Client, { shopUrl, officeUrl }: { shopUrl: string; officeUrl: string }) {
  const done = await client.sendChat({ prompt: 'download "Report"', current_url: officeUrl });
  await until(async () => (await statusOf(client, done)).status === 'success', taskMs);
  const buy = `click "Add Brass lantern to basket"\nwait 1 s\nopen ${shopUrl}/`;
  const prompt = [`open ${shopUrl}/`, ...Array.from({ length: buys }, () => buy)].join('\n');
  return { done, working: await client.sendChat({ prompt, time_limit_secs: 600 }) };
}

/** What a person finds: their sessions and tasks, a picture, a result and its file. */
async function lookAround({ client, baseUrl, token }: LoggedIn, done: Task): Promise<Record<string, string>> {
  const { result } = await statusOf(client, done);
  const { snapshot } = await client.getSession({ id: done.session_id });
  const { sessions } = await client.listSessions();
  const { tasks } = await client.listTasks();
  const picture = snapshot.last_frame?.screenshot_base64;
  const path = result?.files?.[0]?.path;
  if (!picture || !path) throw new Error(`there is no picture or no file: ${JSON.stringify(result)}`);
  const file = await fetch(new URL(path, baseUrl), { headers: { authorization: `Bearer ${token}` } });
  return {
    picture,
    result: JSON.stringify(result),
    file: `${file.status} ${await file.text()}`,
    sessions: sessions.map(({ id, title }) => `${id} ${title}`).join(),
    tasks: tasks.map(({ id, title }) => `${id} ${title}`).join(),
  };
}

/** It goes on from its ledger and with its cookies: only what was done after the backup is done again, and what was just being done. */
function wrongIn(
  { posts }: Shop,
  { boughtBefore, boughtUntil }: { boughtBefore: number; boughtUntil: number },
): string[] {
  const bought = posts.length - boughtUntil;
  const most = buys - boughtBefore + 1;
  const visitors = new Set(posts.map(({ visitor }) => visitor)).size;
  return [
    ...(bought === 0 || posts.length < buys ? [`it did not go on: ${posts.length} of ${buys} bought`] : []),
    ...(bought > most ? [`it began again: ${bought} bought after the restore, ${most} were left`] : []),
    ...(visitors === 1 ? [] : [`the shop saw ${visitors} visitors`]),
  ];
}

async function connected<T>(stack: Stack, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: stack.services.databaseUrl() });
  await client.connect();
  return work(client).finally(() => client.end());
}
