// A hog beside quiet sessions: it is ended and reported, nothing of it is left, and the others hardly notice.

import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectBus, queues, type Report, report } from '@pilothouse/bus';
import { startNats } from '@pilothouse/bus/testing';
import { limitsOf } from '../../apps/browser/src/limits/limits.ts';
import { type HogName, hogs, startHogSite } from '../../apps/browser/testing/hogs.ts';
import { drive, startHost } from '../../apps/browser/testing/host.ts';
import { chromiumPids } from '../../apps/browser/testing/processes.ts';
import { until } from '../../testkit/until.ts';

const EVERY_MS = 300;
const click = { action: 'click', target: 'Press' } as const;
const type = { action: 'type', target: 'Field', text: 'word' } as const;
/** Narrow, so that it takes seconds and not minutes, and wide where another wall would be in the way. */
const limitsFor = (name: HogName) => {
  const cpuSecs = hogs[name].wall === 'cpu' ? 10 : 600;
  const memoryMb = hogs[name].wall === 'memory' ? 512 : 2048;
  return limitsOf({ memoryMb, processes: 25, diskMb: 80, pages: 20, cpuPercent: 80, cpuSecs });
};

type Spread = { count: number; p50: number; p95: number; max: number };
type Measured = { took: number[]; failed: string[] };

export type HogResult = {
  hog: HogName;
  rounds: number;
  /** In how many rounds it was ended by which wall. */
  ended: Record<string, number>;
  ended_after_ms: number[];
  /** Reports of walls that ended nothing. */
  warned: number;
  /** How long actions of the others took, without the hog and with it. */
  quiet_ms: Spread;
  beside_ms: Spread;
  slower: number;
  failed: string[];
  /** Browsers and folders, beside those of the others. */
  left: number;
};

export type FeedOptions = { rounds: number; quietMs: number; boundMs: number; neighbours?: number };

export async function feedHog(
  name: HogName,
  { rounds, quietMs, boundMs, neighbours = 4 }: FeedOptions,
): Promise<HogResult> {
  const [nats, site] = await Promise.all([startNats({ hosts: ['h1'] }), startHogSite()]);
  const agent = await connectBus(nats.as('agent'));
  const host = await startHost(nats, 'h1', { capacity: neighbours + 1, limits: limitsFor(name) });
  const reports: Report[] = [];
  const hear = async (told: Report) => {
    reports.push(told);
    return {};
  };
  const responder = agent.respond(report, {}, hear, { queue: queues.report });
  const wallsOf = (id: string) => reports.filter((one) => one.type === 'wall').filter((one) => one.session_id === id);
  const closed = new AbortController();
  const nowhere = (): Measured => ({ took: [], failed: [] });
  const [quiet, beside] = [nowhere(), nowhere()];
  /** Where what the neighbours took is written now. */
  let book = nowhere();

  async function moveIn() {
    const session = drive(agent, 'h1');
    await session.open();
    await session.act({ action: 'navigate', url: `${site.url}/calm` }, { bring: [] });
    return session;
  }

  async function live(session: Awaited<ReturnType<typeof moveIn>>, index: number): Promise<void> {
    await sleep((index * EVERY_MS) / neighbours);
    for (let turn = index; !closed.signal.aborted; turn++) {
      const begun = performance.now();
      const into = book;
      const step = turn % 2 === 0 ? click : type;
      const failure = await session.failureOf(step, { bring: [], deadlineMs: 10_000 }).catch(String);
      into.took.push(performance.now() - begun);
      if (failure) into.failed.push(`${step.action}: ${failure}`);
      await sleep(Math.max(0, EVERY_MS - (performance.now() - begun)));
    }
  }

  const result = { ended: {} as Record<string, number>, ended_after_ms: [] as number[], warned: 0, left: 0 };

  async function play(): Promise<void> {
    const hog = drive(agent, 'h1');
    await hog.open();
    // Opening is not what is measured.
    await sleep(1000);
    book = quiet;
    await sleep(quietMs);
    book = beside;
    const begun = performance.now();
    const eaten = eat(hog, site.url, name);
    const ended = () => wallsOf(hog.sessionId).find((one) => one.is_ended);
    await until(() => ended() !== undefined, boundMs).catch(() => undefined);
    const by = ended()?.wall;
    result.ended[by ?? 'nothing'] = (result.ended[by ?? 'nothing'] ?? 0) + 1;
    if (by) result.ended_after_ms.push(Math.round(performance.now() - begun));
    else await hog.closeSession();
    // Its going is also something that could be noticed.
    await until(() => host.host.status().sessions.length === neighbours, 20_000);
    await sleep(300);
    book = nowhere();
    await eaten;
    result.warned += wallsOf(hog.sessionId).filter((one) => !one.is_ended).length;
    const [browsers, folders] = await Promise.all([chromiumPids(host.folder), readdir(host.folder)]);
    result.left += browsers.length + folders.length - 2 * neighbours;
  }

  const lives: Promise<void>[] = [];
  try {
    for (let index = 0; index < neighbours; index++) lives.push(live(await moveIn(), index));
    for (let round = 0; round < rounds; round++) await play();
  } finally {
    closed.abort();
    await Promise.allSettled(lives);
    await host.close();
    await responder.close();
    await agent.close();
    await site.close();
    await nats.close();
  }
  const [quiet_ms, beside_ms] = [spreadOf(quiet.took), spreadOf(beside.took)];
  const slower = Math.round((beside_ms.p95 / Math.max(1, quiet_ms.p95)) * 100) / 100;
  return { hog: name, rounds, ...result, quiet_ms, beside_ms, slower, failed: [...quiet.failed, ...beside.failed] };
}

/** It may never answer, so nobody waits for that. */
async function eat(hog: ReturnType<typeof drive>, url: string, name: HogName): Promise<void> {
  const how = { bring: [], deadlineMs: 5000 };
  await hog.tryTo({ action: 'navigate', url: `${url}/${name}` }, how).catch(() => undefined);
  // A page by itself writes nothing to the disk; what it is made to download stays there.
  for (let files = 0; name === 'downloads' && files < 3; files++) {
    await hog.tryTo({ action: 'download', target: 'Large' }, how).catch(() => undefined);
  }
}

function spreadOf(took: number[]): Spread {
  const sorted = took.toSorted((a, b) => a - b);
  const at = (part: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0);
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), max: at(1) };
}
