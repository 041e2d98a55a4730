// Three nodes of NATS with TLS, one of which is killed again and again, while tasks work, people drive and watch, and all
// passwords are replaced: no task is lost, nothing is done twice, no command fails, and frames come again within two seconds.

import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { type ClusterForTest, startCluster } from '@pilothouse/bus/testing/cluster';
import { createClient } from '@pilothouse/sdk';
import { findAskingNats } from '../../packages/bus/testing/asking-nats.ts';
import { makeCertificate } from '../../testkit/certificate.ts';
import { type Site, startCountingSite } from '../../testkit/pages/counter.ts';
import { figuresOf } from '../../testkit/percentiles.ts';
import { createRandom, type Random } from '../../testkit/random.ts';
import { root } from '../../testkit/stack/folders.ts';
import { freePort } from '../../testkit/stack/ports.ts';
import type { Stack } from '../../testkit/stack/stack.ts';
import { until } from '../../testkit/until.ts';
import { type Load, startLoad } from '../rolling/load.ts';
import { checkTasks } from '../tasks/check.ts';
import { createFailover } from '../tasks/failover.ts';
import { withDatabase } from '../tasks/run.ts';
import { watchStaleWrites } from '../tasks/stale-writes.ts';
import { startWorking } from '../tasks/working.ts';
import { type ButtonPage, startButtonPage } from './button-page.ts';
import { type BusCredentials, createCredentials } from './credentials.ts';
import { startWatching, type Watching } from './watching.ts';

export type NatsClusterOptions = {
  stack: Stack;
  seed: number;
  kills: number;
  /** Real browsers, or hosts that only speak their protocol and send frames of random bytes. */
  hands: 'chromium' | 'double';
  /** Servers, agents and hosts each. */
  each?: number;
  /** Tasks, beside one of each server that a program follows. */
  atOnce?: number;
};

const nodes = 3;
/** Without it all passwords are replaced by restarts. */
const newNats = findAskingNats();
const killsPerRotation = 10;
const downMs = { from: 200, to: 1500 };
/** Longer than frames may be away, so that it is seen when they are. */
const betweenMs = { from: 2500, to: 4500 };
const settleMs = 2000;
const endMs = 240_000;
/** A page says that it was pressed after the person was answered, on a full machine much later. */
const toldMs = 10_000;
const framesWithinMs = 2000;
const doubleWithFrames = join(root, 'testkit/fake-host/double-with-frames.child.ts');
const limits = {
  QUOTA_OPEN_SESSIONS: '10000',
  QUOTA_OPEN_TASKS: '10000',
  WRITE_LIMIT_PER_USER: '1000000',
  STREAMS_PER_USER: '10000',
  STREAMS_PER_ADDRESS: '10000',
  HOST_CAPACITY: '20',
};

export async function killNodes({ stack, seed, kills, hands, each = 2, atOnce = 2 }: NatsClusterOptions) {
  const trusted = getCACertificates('default');
  const folder = await mkdtemp(join(tmpdir(), 'pilothouse-nodes-'));
  const [site, button] = await Promise.all([startCountingSite(), startButtonPage()]);
  let cluster: ClusterForTest | undefined;
  Object.assign(process.env, limits);
  try {
    const certificate = await makeCertificate('localhost');
    const authority = join(folder, 'authority.pem');
    writeFileSync(authority, certificate.authority);
    setDefaultCACertificates([...trusted, certificate.authority]);
    const credentials = createCredentials(folder, each);
    cluster = await startCluster({ nodes, passwords: credentials.first, certificate, program: newNats });
    const addresses = cluster.urls.join(',');
    await stack.up({
      port: await freePort(),
      ...{ servers: each, agents: each, browsers: each },
      disableAuth: true,
      sites: [site.url, button.url],
      programs: hands === 'double' ? { browser: doubleWithFrames } : {},
      busUrlOf: () => addresses,
      settingsOf: (part) => ({ ...credentials.settingsOf(part), NODE_EXTRA_CA_CERTS: authority }),
    });
    await withDatabase(stack, watchStaleWrites);
    return { seed, kills, ...(await run({ stack, cluster, credentials, site, button, seed, kills, atOnce })) };
  } finally {
    await stack.down({ wipe: false });
    await Promise.all([cluster?.close(), site.close(), button.close()]);
    setDefaultCACertificates(trusted);
    await rm(folder, { recursive: true, force: true });
  }
}

export function isClusterGood(figures: Awaited<ReturnType<typeof killNodes>>): boolean {
  const { failed, failed_in_rotation, done_twice, takeovers_lost, wrong, former_passwords_taken } = figures;
  const bad = [failed, failed_in_rotation, done_twice, takeovers_lost, wrong].flat().length + former_passwords_taken;
  const isEnough = figures.tasks > 0 && figures.presses > 0 && figures.rotations > 0;
  return bad === 0 && isEnough && figures.frames_again_ms.max <= framesWithinMs;
}

type Run = Required<Pick<NatsClusterOptions, 'stack' | 'seed' | 'kills' | 'atOnce'>> & {
  cluster: ClusterForTest;
  credentials: BusCredentials;
  site: Site;
  button: ButtonPage;
};

async function run({ stack, cluster, credentials, site, button, seed, kills, atOnce }: Run) {
  const baseUrls = stack.status().base_urls;
  const people = createClient({ baseUrl: baseUrls[0] ?? '', fetch: createFailover(baseUrls) });
  const stop = new AbortController();
  let during = 'nothing';
  // A node that dies takes commands with it.
  const rightRefusals = () => ['conflict', 'takeover_conflict'] as const;
  const loads: Awaited<ReturnType<typeof startLoad>>[] = [];
  const viewers: Watching[] = [];
  try {
    for (const [index, baseUrl] of baseUrls.entries()) {
      const name = `server-${index + 1}`;
      const urls = { baseUrl, siteUrl: site.url, formUrl: `${button.url}/${name}` };
      loads.push(await startLoad({ name, ...urls, during: () => during, rightRefusals, signal: stop.signal }));
      viewers.push(await startWatching(createClient({ baseUrl }), `${button.url}/watched-${name}`));
    }
    const working = startWorking({ people, site, seed, atOnce });
    const onPhase = (phase: string) => {
      during = phase;
    };
    const shot = await shoot({ cluster, credentials, viewers, random: createRandom(seed), kills, onPhase });
    onPhase('the end');
    stop.abort();
    const all = await working.end();
    await Promise.race([Promise.all(loads.map(({ ended }) => ended)), sleep(endMs, undefined, { ref: false })]);
    const frames = viewers.reduce((sum, viewer) => sum + viewer.frames(), 0);
    const interrupted = await interruptedAttempts(stack);
    await Promise.all(viewers.map((viewer) => viewer.close()));
    const wrong = await withDatabase(stack, (db) => checkTasks(db, site, all));
    const driven = loads.map(({ load }) => load);
    await until(() => driven.every(({ name, presses }) => button.seen(name) >= presses), toldMs).catch(() => {});
    const met = figuresOfLoads(driven, { site, button });
    return {
      ...shot,
      ...{ frames, working_tasks: all.length, ...met },
      wrong: [...met.wrong, ...wrong],
      interrupted_attempts: interrupted,
    };
  } finally {
    stop.abort();
  }
}

type Shooting = Pick<Run, 'cluster' | 'credentials' | 'kills'> & {
  viewers: Watching[];
  random: Random;
  onPhase: (phase: string) => void;
};

/** Kills one node after the other, never the same twice running: nobody is connected to one that has just come back. */
async function shoot({ cluster, credentials, viewers, random, kills, onPhase }: Shooting) {
  const framesAgainMs: number[] = [];
  let [rotations, formerTaken] = [0, 0];
  let last = -1;
  for (let kill = 1; kill <= kills; kill += 1) {
    const node = random.pick([...Array(nodes).keys()].filter((one) => one !== last));
    last = node;
    onPhase(`kill ${kill} of node ${node}`);
    const killedAt = performance.now();
    await cluster.kill(node);
    await sleep(random.between(downMs.from, downMs.to));
    await cluster.start(node);
    await sleep(random.between(betweenMs.from, betweenMs.to));
    const now = performance.now();
    const againMs = viewers.map((viewer) => Math.round(viewer.longestWithout(killedAt, now)));
    framesAgainMs.push(...againMs);
    console.error(`chaos: kill ${kill} of ${kills}, of node ${node}: longest without a frame ${againMs.join(', ')} ms`);
    if (kill % killsPerRotation !== 1) continue;
    rotations += 1;
    const way = newNats && rotations % 2 === 1 ? 'reload' : 'restart';
    onPhase(`rotation ${rotations} by ${way}`);
    formerTaken += await credentials.rotate(cluster, way);
    await sleep(settleMs);
  }
  return { rotations, former_passwords_taken: formerTaken, frames_again_ms: figuresOf(framesAgainMs) };
}

function figuresOfLoads(loads: Load[], { site, button }: Pick<Run, 'site' | 'button'>) {
  const sum = (count: (load: Load) => number) => loads.reduce((total, load) => total + count(load), 0);
  const isInRotation = (what: string) => what.startsWith('rotation');
  const named = (pick: (load: Load) => string[]) =>
    loads.flatMap((load) => pick(load).map((one) => `${load.name}, ${one}`));
  const refused = named(({ refusedPresses }) => refusedPresses);
  const tasks = loads.flatMap((load) => load.tasks);
  const paths = tasks.flatMap((task) => task.paths);
  const wrong = [
    ...tasks.filter(({ ended }) => ended !== 'success').map(({ id, ended }) => `task ${id}: ${ended}`),
    ...paths.filter((path) => !site.posts.has(path)).map((path) => `${path} was never sent`),
  ];
  const twice = [...site.posts].filter(([, posts]) => posts > 1).map(([path, posts]) => `${path} ${posts} times`);
  for (const { name, presses, refusedPresses } of loads) {
    const seen = button.seen(name);
    // One that was refused may have been made before the browser was gone.
    if (seen > presses + refusedPresses.length) twice.push(`${seen} presses at ${name}, where ${presses} were made`);
    if (seen < presses) wrong.push(`only ${seen} of ${presses} presses at ${name}`);
  }
  return {
    calls: sum(({ calls }) => calls),
    presses: sum(({ presses }) => presses),
    // A person presses again. Nodes that come and go are no reason for it where they are told to.
    presses_refused: refused,
    failed_in_rotation: named((load) => [...load.failed, ...load.refusedPresses].filter(isInRotation)),
    failed: named((load) => load.failed.filter((what) => !isInRotation(what))),
    tasks: tasks.length,
    done_twice: twice,
    takeovers_lost: loads.flatMap(({ name, takeover }) => (takeover === 'held' ? [] : [`${name}: ${takeover}`])),
    wrong,
  };
}

/** Attempts of steps that were cut: agents wait for a bus that comes back, so a kill should cut none. */
const interruptedAttempts = (stack: Stack): Promise<number> =>
  withDatabase(stack, async (db) => {
    const { rows } = await db.query<{ count: number }>(
      `select count(*)::int as count from steps where status = 'interrupted'`,
    );
    return rows[0]?.count ?? 0;
  });
