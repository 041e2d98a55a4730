// Power fails: everything ends at once, and the database comes back from what was in its folder at that moment. The
// folder is copied while PostgreSQL works, its control file first and its log last, as recovery needs them.

import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createClient } from '@pilothouse/sdk';
import { startCountingSite } from '../../testkit/pages/counter.ts';
import { createRandom } from '../../testkit/random.ts';
import { until } from '../../testkit/stack/daemon.ts';
import { freePort } from '../../testkit/stack/ports.ts';
import type { Stack } from '../../testkit/stack/stack.ts';
import { createFailover } from './failover.ts';
import { insist } from './person.ts';
import { doubleProgram, withDatabase } from './run.ts';
import { makeScript } from './script.ts';

type Options = { stack: Stack; rounds: number; seed: number; loadMs?: number };

const run = promisify(execFile);
const atOnce = 24;
const runMs = 60_000;

export async function failPower({ stack, rounds, seed, loadMs = 2500 }: Options) {
  const [port, site] = await Promise.all([freePort(), startCountingSite()]);
  Object.assign(process.env, { QUOTA_OPEN_TASKS: '100000', QUOTA_OPEN_SESSIONS: '100000', HOST_CAPACITY: '1000' });
  await stack.up({ port, servers: 2, agents: 2, browsers: 2, disableAuth: true, programs: { browser: doubleProgram } });
  const baseUrls = stack.status().base_urls;
  const people = createClient({ baseUrl: baseUrls[0] ?? '', fetch: createFailover(baseUrls) });
  const parts = Object.keys(stack.status().processes);
  const result = { rounds: 0, acknowledged: 0, lost: [] as string[], unfinished: [] as string[], after_copy: 0 };
  let index = 0;
  try {
    for (let round = 0; round < rounds; round += 1) {
      const acknowledged: string[] = [];
      let isOver = false;
      const ask = async () => {
        while (!isOver) {
          const name = `power-${seed}-${index++}`;
          const { steps } = makeScript(site.url, name, createRandom(seed + index), {
            least: 3,
            most: 6,
            // One of those that was cut would wait for a person, as it should.
            mayBeIrreversible: false,
          });
          const { task_id } = await people.sendChat({ prompt: name, steps }, { idempotencyKey: name, timeoutMs: 5000 });
          acknowledged.push(task_id);
        }
      };
      // What is asked when the lights go out gets no answer, and no promise.
      const asking = Promise.allSettled(Array.from({ length: atOnce }, ask));
      await sleep(loadMs);
      const data = join(stack.services.place.dataDir, 'postgres');
      const copy = await copyWhileRunning(data, () => acknowledged.length);
      isOver = true;
      await Promise.all([stack.kill('postgres'), ...parts.map((part) => stack.kill(part))]);
      await asking;
      await rm(data, { recursive: true });
      await rename(copy.path, data);
      await stack.start('postgres');
      await stack.start('nats');
      await Promise.all(parts.map((part) => stack.start(part)));

      const promised = acknowledged.slice(0, copy.acknowledgedBefore);
      result.after_copy += acknowledged.length - promised.length;
      const open = () => openOf(stack, promised);
      await until(async () => (await open()).size === 0, runMs, 250);
      const left = await open();
      for (const id of promised) {
        const status = left.get(id);
        if (status === 'missing') result.lost.push(id);
        else if (status) result.unfinished.push(`${id}: ${status}`);
      }
      result.acknowledged += promised.length;
      result.rounds += 1;
      await insist(() => people.listSessions({}), AbortSignal.timeout(10_000));
    }
    return { seed, ...result };
  } finally {
    await site.close();
  }
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

/** As it was on the disk: what was acknowledged before its log was copied must be in it. */
async function copyWhileRunning(data: string, acknowledged: () => number) {
  const path = `${data}-copy`;
  await rm(path, { recursive: true, force: true });
  await mkdir(join(path, 'global'), { recursive: true });
  await cp(join(data, 'global', 'pg_control'), join(path, 'global', 'pg_control'));
  const control = join(path, 'global', 'pg_control.first');
  await rename(join(path, 'global', 'pg_control'), control);
  for (const name of await readdir(data)) {
    if (name === 'postmaster.pid' || name === 'pg_wal') continue;
    // Files come and go while they are copied; the log makes up for those.
    await run('cp', ['-a', join(data, name), path]).catch(() => {});
  }
  await rename(control, join(path, 'global', 'pg_control'));
  const acknowledgedBefore = acknowledged();
  await run('cp', ['-a', join(data, 'pg_wal'), path]);
  await run('chown', ['--reference', data, '-R', path]);
  await run('chmod', ['700', path]);
  return { path, acknowledgedBefore };
}
