// Power fails: everything ends at once, and only what was synced is on the disks afterwards. PostgreSQL and the blobs are each
// on a file system of their own that is stopped in the middle of work, so writes that are only in memory are lost.

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient } from '@pilothouse/sdk';
import pg from 'pg';
import { startCountingSite } from '../../testkit/pages/counter.ts';
import { mountPowerDisk, type PowerDisk } from '../../testkit/power-disk.ts';
import { createRandom } from '../../testkit/random.ts';
import { until } from '../../testkit/stack/daemon.ts';
import { freePort } from '../../testkit/stack/ports.ts';
import type { Stack } from '../../testkit/stack/stack.ts';
import { createFailover } from './failover.ts';
import { insist } from './person.ts';
import { doubleProgram, withDatabase } from './run.ts';
import { makeScript } from './script.ts';

type Options = {
  stack: Stack;
  rounds: number;
  seed: number;
  loadMs?: number;
  /** Off: PostgreSQL does not sync what it commits, which the scenario has to find. */
  isSynced?: boolean;
};
export type PowerResult = {
  rounds: number;
  /** Tasks whose chat was answered before the power failed. */
  acknowledged: number;
  lost: string[];
  lost_files: string[];
  unfinished: string[];
  /** Why the database did not come back. */
  broken: string | null;
};

const atOnce = 24;
const runMs = 90_000;

export async function failPower({ stack, rounds, seed, loadMs = 2500, isSynced = true }: Options) {
  const { dir, dataDir } = stack.services.place;
  const site = await startCountingSite();
  const disks: PowerDisk[] = [];
  try {
    for (const folder of [dataDir, join(dir, 'blobs')]) disks.push(await mountPowerDisk(folder));
    // Tests run without syncing; here it is what is tried.
    process.env.TEST_POSTGRES_FSYNC = 'on';
    Object.assign(process.env, { QUOTA_OPEN_TASKS: '100000', QUOTA_OPEN_SESSIONS: '100000', HOST_CAPACITY: '1000' });
    const programs = { browser: doubleProgram };
    await stack.up({ port: await freePort(), servers: 2, agents: 2, browsers: 2, disableAuth: true, programs });
    if (!isSynced) await stopSyncing(stack);
    const baseUrls = stack.status().base_urls;
    const people = createClient({ baseUrl: baseUrls[0] ?? '', fetch: createFailover(baseUrls) });
    const result: PowerResult = { rounds: 0, acknowledged: 0, lost: [], lost_files: [], unfinished: [], broken: null };
    for (let round = 0; round < rounds && !result.broken; round += 1) {
      const load = startLoad(people, { url: site.url, seed: seed + 1000 * round });
      await playRound({ stack, disks, people, load, loadMs }, result);
    }
    return { seed, ...result };
  } finally {
    await site.close();
    await stack.down({ wipe: false });
    for (const disk of disks) await disk.close();
  }
}

type Load = { acknowledged: string[]; end(): Promise<void> };
type Round = { stack: Stack; disks: PowerDisk[]; people: Client; load: Load; loadMs: number };

/** People who send chats one after another, each with a file. */
function startLoad(people: Client, { url, seed }: { url: string; seed: number }): Load {
  const acknowledged: string[] = [];
  let isOver = false;
  let index = 0;
  const ask = async () => {
    while (!isOver) {
      index += 1;
      const name = `power-${seed}-${index}`;
      // One of the irreversible steps that was cut would wait for a person, as it should.
      const length = { least: 3, most: 6, mayBeIrreversible: false };
      const { steps } = makeScript(url, name, createRandom(seed + index), length);
      const files = [{ name: 'note.txt', content_base64: Buffer.from(name.repeat(50)).toString('base64') }];
      const options = { idempotencyKey: name, timeoutMs: 5000 };
      const { task_id } = await people.sendChat({ prompt: name, steps, files }, options);
      acknowledged.push(task_id);
    }
  };
  // What is asked when the power fails gets no answer, and no promise.
  const asking = Promise.allSettled(Array.from({ length: atOnce }, ask));
  return {
    acknowledged,
    async end() {
      isOver = true;
      await asking;
    },
  };
}

async function playRound({ stack, disks, people, load, loadMs }: Round, result: PowerResult): Promise<void> {
  const parts = Object.keys(stack.status().processes);
  // What lies there from before, such as a new cluster, is not what is tried here.
  await Promise.all(disks.map((disk) => disk.sync()));
  await sleep(loadMs);
  const promised = [...load.acknowledged];
  await Promise.all(disks.map((disk) => disk.cutPower()));
  await Promise.all(['postgres', 'nats', ...parts].map((part) => stack.kill(part)));
  await load.end();
  for (const disk of disks) await disk.restorePower();
  result.rounds += 1;
  result.acknowledged += promised.length;
  try {
    await stack.start('postgres');
  } catch (error) {
    result.broken = String(error);
    return;
  }
  await stack.start('nats');
  await Promise.all(parts.map((part) => stack.start(part)));
  // What is missing does not come any more.
  const isOver = async () => [...(await openOf(stack, promised)).values()].every((status) => status === 'missing');
  await until(isOver, runMs, 250);
  const left = await openOf(stack, promised);
  for (const id of promised) {
    const status = left.get(id);
    if (status === 'missing') result.lost.push(id);
    else if (status) result.unfinished.push(`${id}: ${status}`);
  }
  result.lost_files.push(...(await missingFiles(stack, promised)));
  await insist(() => people.listSessions({}), AbortSignal.timeout(10_000));
}

/** Those that have not succeeded, and what they are instead. */
const openOf = (stack: Stack, ids: string[]): Promise<Map<string, string>> =>
  withDatabase(stack, async (client) => {
    const { rows } = await client.query<{ id: string; status: string }>(
      `select ids.id, coalesce(t.status::text, 'missing') as status
       from unnest($1::uuid[]) as ids (id) left join tasks t on t.id = ids.id where t.status is distinct from 'success'`,
      [ids],
    );
    return new Map(rows.map(({ id, status }) => [id, status]));
  });

/** Files of these tasks whose bytes are missing, or not all there. */
const missingFiles = (stack: Stack, ids: string[]): Promise<string[]> =>
  withDatabase(stack, async (client) => {
    const { rows } = await client.query<{ blob_key: string; byte_len: number }>(
      'select blob_key, byte_len::int from files where task_id = any($1::uuid[])',
      [ids],
    );
    const sizes = await Promise.all(
      rows.map(async ({ blob_key }) => {
        const found = await stat(join(stack.services.place.dir, 'blobs', blob_key)).catch(() => undefined);
        return found?.size;
      }),
    );
    return rows.flatMap(({ blob_key, byte_len }, i) => (sizes[i] === byte_len ? [] : blob_key));
  });

async function stopSyncing(stack: Stack): Promise<void> {
  const client = new pg.Client(stack.services.adminDatabaseUrl());
  await client.connect();
  try {
    await client.query('alter system set fsync = off');
    await client.query('select pg_reload_conf()');
  } finally {
    await client.end();
  }
}
