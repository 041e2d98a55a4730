import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, chromium, type Page } from 'playwright-core';
import { idleMemoryAfterMs } from '../../apps/browser/src/host/host.ts';
import { drive } from '../../apps/browser/testing/host.ts';
import { startSite } from '../../apps/browser/testing/site.ts';
import { hostId, startShotHost } from '../../testkit/host.ts';
import { until } from '../../testkit/until.ts';
import { flags, shell } from './open.ts';

type Sample = { pssMiB: number; cpuSecs: number; processes: number };

/** Sessions that take a step now and then: what they cost beside the same browsers driven with the library alone. */
export async function measureDensity({
  sessions,
  secs,
  everySecs = 5,
  turns = 2,
}: {
  sessions: number;
  secs: number;
  everySecs?: number;
  turns?: number;
}) {
  const site = await startSite();
  try {
    // In turn, so that neither has the other's weight; its part of the time each.
    const runs: { ours: Awaited<ReturnType<typeof ourRun>>; bare: Awaited<ReturnType<typeof bareRun>> }[] = [];
    for (let i = 0; i < turns; i += 1) {
      runs.push({
        ours: await ourRun(site.url, sessions, secs / turns, everySecs),
        bare: await bareRun(site.url, sessions, secs / turns, everySecs),
      });
    }
    const mean = (pick: (run: (typeof runs)[number]) => number) =>
      runs.reduce((sum, run) => sum + pick(run), 0) / runs.length;
    const figures = {
      ours: {
        pss_mib: Math.round(mean(({ ours }) => ours.pssMiB)),
        cpu_share: round(mean(({ ours }) => ours.cpuShare)),
      },
      bare: {
        pss_mib: Math.round(mean(({ bare }) => bare.pssMiB)),
        cpu_share: round(mean(({ bare }) => bare.cpuShare)),
      },
    };
    return {
      sessions,
      secs,
      ...figures,
      pss_ratio: round(figures.ours.pss_mib / figures.bare.pss_mib),
      cpu_ratio: round(figures.ours.cpu_share / figures.bare.cpu_share),
      after_close: runs.map(({ ours }) => ours.after),
      before_open: runs.map(({ ours }) => ours.before),
    };
  } finally {
    await site.close();
  }
}

const round = (value: number) => Math.round(value * 100) / 100;

async function ourRun(url: string, count: number, secs: number, everySecs: number) {
  // Without those launched ahead: the other side has none.
  const host = await startShotHost({ leaseMs: 60_000, capacity: count, warm: 0, firstUid: 44_000, sites: [url] });
  try {
    await host.start();
    const before = await weigh(host.pid());
    const all = Array.from({ length: count }, () => drive(host.agent, hostId));
    for (const one of all) {
      await one.open();
      await one.act({ action: 'navigate', url: `${url}/form` });
    }
    const step = async (i: number) => {
      await all[i]?.act({ action: 'click', target: 'Count' });
    };
    const measured = await stepping(host.pid(), count, secs, everySecs, step);
    await Promise.all(all.map((one) => one.closeSession()));
    await until(async () => (await host.browsers()).length === 0, 10_000).catch(() => undefined);
    // A host without sessions gives back what its heap kept for them, once it has rested for a while.
    await sleep(idleMemoryAfterMs + 3000);
    return { ...measured, before, after: await weigh(host.pid()) };
  } finally {
    await host.close();
  }
}

async function bareRun(url: string, count: number, secs: number, everySecs: number) {
  const folder = await mkdtemp(join(tmpdir(), 'pilothouse-bare-'));
  const browsers: Browser[] = [];
  const pages: Page[] = [];
  try {
    for (let i = 0; i < count; i += 1) {
      const browser = await chromium.launch({ executablePath: shell, args: flags, artifactsDir: folder });
      browsers.push(browser);
      const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
      await page.goto(`${url}/form`);
      pages.push(page);
    }
    const step = async (i: number) => {
      const page = pages[i];
      await page?.locator('#count').click();
      await Promise.all([
        page?.screenshot({ type: 'jpeg', quality: 60 }),
        page?.context().storageState({ indexedDB: true }),
      ]);
    };
    return await stepping(process.pid, count, secs, everySecs, step);
  } finally {
    await Promise.all(browsers.map((browser) => browser.close()));
    await rm(folder, { recursive: true, force: true });
  }
}

/** Every session takes its step at its own moment of the interval. */
async function stepping(
  pid: number,
  count: number,
  secs: number,
  everySecs: number,
  step: (i: number) => Promise<void>,
) {
  const end = performance.now() + secs * 1000;
  const begun = performance.now();
  const before = await weigh(pid);
  const weights: number[] = [];
  const work = async (i: number) => {
    await sleep((i * everySecs * 1000) / count);
    while (performance.now() < end) {
      const at = performance.now();
      await step(i);
      await sleep(Math.max(0, at + everySecs * 1000 - performance.now()));
    }
  };
  const weighing = async () => {
    while (performance.now() < end) {
      await sleep(Math.min(5000, end - performance.now()));
      weights.push((await weigh(pid)).pssMiB);
    }
  };
  await Promise.all([weighing(), ...Array.from({ length: count }, (_, i) => work(i))]);
  const after = await weigh(pid);
  const took = (performance.now() - begun) / 1000;
  return {
    pssMiB: weights.toSorted((a, b) => a - b)[Math.floor(weights.length / 2)] ?? Number.NaN,
    cpuShare: (after.cpuSecs - before.cpuSecs) / took,
  };
}

/** The memory and time of a process and all below it. */
async function weigh(pid: number): Promise<Sample> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const parents = new Map<number, number[]>();
  for (const name of names) {
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    parents.set(parent, [...(parents.get(parent) ?? []), Number(name)]);
  }
  const below = (one: number): number[] => [one, ...(parents.get(one) ?? []).flatMap(below)];
  const sample: Sample = { pssMiB: 0, cpuSecs: 0, processes: 0 };
  for (const one of below(pid)) {
    const [rollup, stat] = await Promise.all(
      ['smaps_rollup', 'stat'].map((file) => readFile(`/proc/${one}/${file}`, 'utf8').catch(() => '')),
    );
    const fields = (stat ?? '').slice((stat ?? '').lastIndexOf(')') + 2).split(' ');
    sample.pssMiB += Number(/^Pss:\s+(\d+)/m.exec(rollup ?? '')?.[1] ?? 0) / 1024;
    // Ticks of a hundredth of a second; those of children that ended are with their parent.
    sample.cpuSecs += (Number(fields[11]) + Number(fields[12]) + Number(fields[13]) + Number(fields[14])) / 100 || 0;
    sample.processes += 1;
  }
  return { ...sample, pssMiB: Math.round(sample.pssMiB) };
}
