// Every process is restarted with a word, one after the other, again and again, while programs work through nginx, Caddy and
// HAProxy: nothing that they ask fails, no stream has a gap, nobody loses a browser, and no task does anything twice.

import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import { startCountingSite } from '../../testkit/pages/counter.ts';
import { startSharedForm } from '../../testkit/pages/shared-form.ts';
import { figuresOf } from '../../testkit/percentiles.ts';
import {
  type ProxyForTest,
  type ProxyName,
  proxyNames,
  startProxy,
  withoutProxy,
} from '../../testkit/proxies/proxies.ts';
import { freePort } from '../../testkit/stack/ports.ts';
import type { Stack } from '../../testkit/stack/stack.ts';
import { until } from '../../testkit/until.ts';
import { withDatabase } from '../tasks/run.ts';
import { type FollowedTask, type Load, startLoad } from './load.ts';

export type RollingOptions = { stack: Stack; rounds: number; proxies?: ProxyName[] };
export type RollingFigures = Awaited<ReturnType<typeof restartInTurn>>;

const settings = { server: { SERVER_DRAIN_SECS: '2' }, browser: { HOST_DRAIN_SECS: '10', HOST_CAPACITY: '12' } };
/** A host has ten seconds after its drain. */
const goneMs = 40_000;
const endMs = 240_000;
/** A browser that its host gave up is open at another one by then, and the SDK has asked again. */
const movedMs = 10_000;
/** A person may be refused for so long: a host has ten seconds to end after its drain, and the browser as long to be open elsewhere. */
const longestRefusalMs = 20_000;

/** Fails where one of the proxies is not installed: what was not tried has not held. */
export async function restartInTurn({ stack, rounds, proxies = proxyNames }: RollingOptions) {
  const missing = proxies.flatMap((name) => withoutProxy(name) || []);
  if (missing.length > 0) throw new Error(missing.join('; '));
  Object.assign(process.env, {
    QUOTA_OPEN_SESSIONS: '10000',
    QUOTA_OPEN_TASKS: '10000',
    WRITE_LIMIT_PER_USER: '1000000',
    HOST_MAX_SESSIONS: '12',
    // So long the stack waits for hosts at its own end, too.
    HOST_DRAIN_SECS: settings.browser.HOST_DRAIN_SECS,
  });
  const [port, site, form] = await Promise.all([freePort(), startCountingSite(), startSharedForm()]);
  const ends: ProxyForTest[] = [];
  const stop = new AbortController();
  try {
    const size = { servers: 2, agents: 2, browsers: 2 };
    await stack.up({ port, ...size, disableAuth: true, sites: [site.url, form.url], settings });
    let during = 'nothing';
    let hostBackAt = Number.NEGATIVE_INFINITY;
    const mayMove = () => during.startsWith('browser') || performance.now() - hostBackAt < movedMs;
    const rightRefusals = () => (mayMove() ? (['conflict'] as const) : []);
    const loads: Awaited<ReturnType<typeof startLoad>>[] = [];
    for (const proxy of proxies) {
      const end = await startProxy(proxy, [port, port + 1]);
      ends.push(end);
      tls.setDefaultCACertificates([...tls.getCACertificates('default'), end.authority]);
      const urls = { baseUrl: end.url, siteUrl: site.url, formUrl: form.url };
      loads.push(await startLoad({ name: proxy, ...urls, during: () => during, rightRefusals, signal: stop.signal }));
    }
    const tookMs: Record<string, number[]> = {};
    for (let round = 0; round < rounds; round += 1) {
      for (const part of Object.keys(stack.status().processes).sort()) {
        during = part;
        const kind = part.replace(/-\d+$/, '');
        const times = await restart(stack, part);
        if (kind === 'browser') hostBackAt = performance.now();
        for (const [what, ms] of Object.entries(times)) {
          const name = `${kind} ${what}`;
          tookMs[name] = [...(tookMs[name] ?? []), ms];
        }
        await sleep(500);
      }
      const failed = loads.flatMap(({ load }) => load.failed.map((what) => `${load.name}, ${what}`));
      console.error(`chaos: round ${round + 1} of ${rounds}: ${failed.length} failed`, failed.slice(-20));
    }
    during = 'the end';
    stop.abort();
    await Promise.race([Promise.all(loads.map(({ ended }) => ended)), sleep(endMs, undefined, { ref: false })]);
    const all = loads.map(({ load }) => load);
    const gaps = await withDatabase(stack, async (db) => {
      const tasks = all.flatMap((load) => load.tasks);
      const { rows } = await db.query<{ task_id: string; seqs: string[] }>(
        // Where the browser went is for those who watch the session.
        `select task_id, array_agg(seq order by seq) as seqs from events
         where task_id = any ($1) and kind <> 'route' group by task_id`,
        [tasks.map(({ id }) => id)],
      );
      const logged = new Map(rows.map(({ task_id, seqs }) => [task_id, seqs.map(Number)]));
      return tasks.flatMap((task) => gapOf(task, logged.get(task.id) ?? []));
    });
    const presses_arrived = form.touches.filter(({ kind }) => kind === 'person').length;
    return { rounds, ...figuresOfLoads(all, site.posts), presses_arrived, gaps, restart_ms: figuresByKind(tookMs) };
  } finally {
    stop.abort();
    await Promise.all(ends.map((end) => end.close()));
    await Promise.all([site.close(), form.close()]);
  }
}

/** As an operator does: it is told to end, has the time that it wants, and is started again. */
async function restart(stack: Stack, part: string): Promise<{ gone: number; ready: number }> {
  const { pid } = stack.status().processes[part] ?? {};
  if (!pid) throw new Error(`${part} does not run`);
  const told = performance.now();
  process.kill(pid, 'SIGTERM');
  await until(() => stack.status().processes[part]?.running === false, goneMs);
  const gone = performance.now();
  await stack.start(part);
  return { gone: gone - told, ready: performance.now() - gone };
}

function gapOf({ id, seqs }: FollowedTask, logged: number[]): string[] {
  const at = logged.findIndex((seq, i) => seqs[i] !== seq);
  if (at < 0 && seqs.length === logged.length) return [];
  return [`${id}: ${seqs.length} events of ${logged.length}; at ${at} it is ${seqs[at]} and not ${logged[at]}`];
}

const figuresByKind = (tookMs: Record<string, number[]>) =>
  Object.fromEntries(Object.entries(tookMs).map(([kind, times]) => [kind, figuresOf(times)]));

function figuresOfLoads(all: Load[], posts: Map<string, number>) {
  const sum = (count: (load: Load) => number) => all.reduce((total, load) => total + count(load), 0);
  const tasks = all.flatMap((load) => load.tasks);
  const paths = tasks.flatMap((task) => task.paths);
  const byProxy = <T>(figure: (load: Load) => T) => Object.fromEntries(all.map((load) => [load.name, figure(load)]));
  return {
    calls: sum(({ calls }) => calls),
    failed: all.flatMap(({ name, failed }) => failed.map((what) => `${name}, ${what}`)),
    cut_below: byProxy(({ cutBelow }) => cutBelow),
    stream_connections: sum(({ connections }) => connections),
    tasks: byProxy((load) => load.tasks.length),
    tasks_not_done: tasks.filter(({ ended }) => ended !== 'success').map(({ id, ended }) => `${id}: ${ended}`),
    done_twice: paths.filter((path) => (posts.get(path) ?? 0) > 1),
    not_done: paths.filter((path) => !posts.has(path)),
    presses: byProxy(({ presses }) => presses),
    presses_refused_in_a_move: sum(({ refusedPresses }) => refusedPresses.length),
    longest_refusal_ms: Math.round(Math.max(...all.map((load) => load.longestRefusalMs))),
    takeovers_lost: all.flatMap(({ name, takeover }) => (takeover === 'held' ? [] : [`${name}: ${takeover}`])),
  };
}

/**
 * A press may be refused while the browser is on its way from a host that ends: the person is told so, and the next one is soon
 * taken. Any other refusal is among the failed calls. A refused press may have been done, but none was done twice.
 */
export function isRollingGood(figures: RollingFigures, proxies: ProxyName[] = proxyNames): boolean {
  const { failed, gaps, tasks_not_done, done_twice, not_done, takeovers_lost } = figures;
  const bad = [failed, gaps, tasks_not_done, done_twice, not_done, takeovers_lost].flat().length;
  const isTried = proxies.every((name) => (figures.tasks[name] ?? 0) > 0 && (figures.presses[name] ?? 0) > 0);
  const presses = Object.values(figures.presses).reduce((sum, count) => sum + count, 0);
  const isOnce = figures.presses_arrived <= presses + figures.presses_refused_in_a_move;
  return bad === 0 && isTried && isOnce && figures.longest_refusal_ms <= longestRefusalMs;
}
