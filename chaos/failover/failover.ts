// The primary of PostgreSQL is killed under load, and its standby promoted: nothing that was acknowledged may be missing, and no
// number may be given twice.

import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient } from '@pilothouse/sdk';
import { type Site, startCountingSite } from '../../testkit/pages/counter.ts';
import { figuresOf } from '../../testkit/percentiles.ts';
import { createRandom, type Random } from '../../testkit/random.ts';
import { freePort } from '../../testkit/stack/ports.ts';
import type { Stack } from '../../testkit/stack/stack.ts';
import { checkTasks } from '../tasks/check.ts';
import { createFailover } from '../tasks/failover.ts';
import { askAndFollow, insist } from '../tasks/person.ts';
import { doubleProgram, withDatabaseAt } from '../tasks/run.ts';
import { makeScript } from '../tasks/script.ts';
import { watchStaleWrites } from '../tasks/stale-writes.ts';
import { startWorking } from '../tasks/working.ts';
import { startDriving } from './drivers.ts';
import { type Replicated, type Replication, replicate } from './replicated.ts';
import { startWriting } from './writes.ts';

type Options = {
  stack: Stack;
  seed: number;
  rounds: number;
  replication?: Replication;
  loadMs?: number;
  atOnce?: number;
  /** Servers, agents and hosts each. */
  each?: number;
};

/** How long it lasts until an operator, or what watches for them, sees that the primary is gone. */
const noticedMs = { from: 300, to: 2000 };
/** In which the standby gets nothing more while the primary still works: what is not synchronous is lost. */
const cutMs = 300;
const backMs = 60_000;

export async function failOver({ stack, seed, replication = 'synchronous', each = 2, ...size }: Options) {
  const site = await startCountingSite();
  const limits = { QUOTA_OPEN_TASKS: '100000', QUOTA_OPEN_SESSIONS: '100000', WRITE_LIMIT_PER_USER: '100000' };
  Object.assign(process.env, { ...limits, HOST_CAPACITY: '100' });
  let replicated: Replicated | undefined;
  try {
    await stack.services.start('postgres');
    replicated = await replicate(stack.services, replication);
    const url = replicated.url(stack.services.databaseUrl());
    const port = await freePort();
    const settings = { server: { DATABASE_URL: url }, agent: { DATABASE_URL: url } };
    const programs = { browser: doubleProgram };
    await stack.up({ port, servers: each, agents: each, browsers: each, disableAuth: true, programs, settings });
    await withDatabaseAt(url, watchStaleWrites);
    const baseUrls = stack.status().base_urls;
    const people = createClient({ baseUrl: baseUrls[0] ?? '', fetch: createFailover(baseUrls) });
    return { seed, replication, ...(await run({ ...size, replicated, url, site, people, seed })) };
  } finally {
    await stack.down({ wipe: false });
    await replicated?.close();
    await site.close();
  }
}

const backWithinMs = 15_000;

export function isFailoverGood(figures: Awaited<ReturnType<typeof failOver>>): boolean {
  const { lost, numbers_given_twice, epochs_given_twice, wrong, back_after_ms, ...counts } = figures;
  const bad = lost + numbers_given_twice + epochs_given_twice.length + wrong.length;
  const isEnough = counts.acknowledged_writes > 0 && counts.tasks > 0 && counts.takeovers > 0;
  return bad === 0 && isEnough && back_after_ms.max <= backWithinMs;
}

type Run = { replicated: Replicated; url: string; site: Site; people: Client } & Pick<
  Options,
  'seed' | 'rounds' | 'loadMs' | 'atOnce'
>;

async function run({ replicated, url, site, people, seed, rounds, loadMs = 3000, atOnce = 6 }: Run) {
  const random = createRandom(seed);
  const writing = await startWriting(url, 4);
  const driving = startDriving(people, 2);
  const working = startWorking({ people, site, seed, atOnce });
  const backAfterMs: number[] = [];
  const promotedAfterMs: number[] = [];
  const wrong: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await sleep(loadMs);
    const met = await failOnce(replicated, { people, site, random, name: `after-${seed}-${round}` });
    backAfterMs.push(met.backMs);
    promotedAfterMs.push(met.promotedMs);
    console.error(JSON.stringify({ round, ...met }));
    if (met.ended !== 'success') wrong.push(`round ${round}: the task after the promotion is ${met.ended}`);
    if (round + 1 < rounds) await replicated.attach();
  }
  const tasks = await working.end();
  const [takeovers, writes] = [await driving.end(), await writing.end()];
  wrong.push(...(await withDatabaseAt(url, (db) => checkTasks(db, site, tasks))));
  return {
    rounds,
    tasks: tasks.length,
    takeovers: takeovers.takeovers,
    acknowledged_writes: writes.acknowledged,
    lost: writes.lost.length,
    numbers_given_twice: writes.twice.length,
    epochs_given_twice: takeovers.twice,
    promoted_after_ms: figuresOf(promotedAfterMs),
    back_after_ms: figuresOf(backAfterMs),
    wrong,
  };
}

type Round = { people: Client; site: Site; random: Random; name: string };

/** Times are from the order to promote: until the standby takes writes, and until a new task has been done. */
async function failOnce(replicated: Replicated, { people, site, random, name }: Round) {
  replicated.cutReplication();
  await sleep(cutMs);
  replicated.killPrimary();
  await sleep(random.between(noticedMs.from, noticedMs.to));
  const begun = performance.now();
  await replicated.promote();
  const promotedMs = Math.round(performance.now() - begun);
  const script = makeScript(site.url, name, random, { least: 3, most: 3, mayBeIrreversible: false });
  const { ended, sessionId } = await askAndFollow(people, name, script, backMs);
  const taskMs = Math.round(performance.now() - begun);
  await insist(() => people.deleteSession({ id: sessionId }), AbortSignal.timeout(backMs));
  return { promotedMs, backMs: taskMs, ended };
}
