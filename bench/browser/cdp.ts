// What the host's own acts cost over the pipe that it owns, beside the same Chromium started by the library itself: both in
// this process, behind the same walls, in turns.

import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { quietArgs } from '../../apps/browser/src/chromium/flags.ts';
import { launchChromium } from '../../apps/browser/src/chromium/launch.ts';
import { writeLauncher } from '../../apps/browser/src/chromium/launcher.ts';
import { createUsers } from '../../apps/browser/src/chromium/unix-users.ts';
import { startSite } from '../../apps/browser/testing/site.ts';
import { figuresOf, ratio } from '../../testkit/percentiles.ts';

const path = '/usr/lib/chromium/chromium-headless-shell';
const viewport = { width: 1280, height: 720 };

type Side = { browser: Browser; page: Page; close(): Promise<unknown> };

const acts: Record<string, (side: Side) => Promise<unknown>> = {
  click: ({ page }) => page.getByRole('button', { name: 'Count' }).click(),
  fill: ({ page }) => page.getByLabel('Name').fill('Anna'),
  evaluate: ({ page }) => page.evaluate('document.title.length'),
  // Much in one answer: what it costs to take a large message apart.
  evaluate_megabyte: ({ page }) => page.evaluate('"x".repeat(1_000_000)'),
  screenshot: ({ page }) => page.screenshot({ type: 'jpeg', quality: 60 }),
  async open_context({ browser }) {
    const context = await browser.newContext({ viewport });
    await context.newPage();
    await context.close();
  },
};

/** Each act this often before the other side's turn, so that neither has the caches of the other all the time. */
const turn = 3;

export async function measureOwn(rounds: number) {
  const parent = await mkdtemp(join(tmpdir(), 'pilothouse-bench-cdp-'));
  await chmod(parent, 0o711);
  const site = await startSite();
  const sides = await Promise.all([ownPipe(parent), ownedByLibrary(parent)]);
  const took = Object.keys(acts).map((name) => ({ name, ours: [] as number[], before: [] as number[] }));
  try {
    await Promise.all(sides.map(({ page }) => page.goto(`${site.url}/form`)));
    // The first rounds fill caches and are not counted.
    for (let round = -2; round < rounds; round += 1)
      for (const times of took) {
        const order = round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const);
        for (const at of order) {
          const measured = await timesOf(sides[at], acts[times.name]);
          if (round >= 0) (at === 0 ? times.ours : times.before).push(...measured);
        }
      }
  } finally {
    await Promise.all(sides.map((side) => side.close()));
    await site.close();
    await rm(parent, { recursive: true, force: true });
  }
  const all = { ours: sumOf(took.map(({ ours }) => ours)), before: sumOf(took.map(({ before }) => before)) };
  return {
    own_acts_ms: compare(all.ours, all.before),
    by_act_ms: Object.fromEntries(took.map(({ name, ours, before }) => [name, compare(ours, before)])),
  };
}

async function timesOf(side: Side, act: ((side: Side) => Promise<unknown>) | undefined): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < turn; i += 1) {
    const begun = performance.now();
    await act?.(side);
    times.push(performance.now() - begun);
  }
  return times;
}

/** One of each act together, as often as each was done. */
const sumOf = (lists: number[][]): number[] =>
  (lists[0] ?? []).map((_, at) => lists.reduce((sum, list) => sum + (list[at] ?? 0), 0));

function compare(oursMs: number[], beforeMs: number[]) {
  const [ours, before] = [figuresOf(oursMs), figuresOf(beforeMs)];
  return { ours, before, ratio: ratio(ours, before) };
}

async function ownPipe(parent: string): Promise<Side> {
  const users = createUsers({ firstUid: undefined, count: 1 });
  const started = await launchChromium({ path, parent, users, hasSandbox: !isRoot, timeoutMs: 20_000 });
  const page = await started.browser.newPage({ viewport });
  return { browser: started.browser, page, close: started.close };
}

/** The launch that the library has itself, of the same program with the same arguments. */
async function ownedByLibrary(parent: string): Promise<Side> {
  const folder = await mkdtemp(join(parent, 'library-'));
  const browser = await chromium.launch({
    executablePath: await writeLauncher({ path, folder, uid: undefined, hidesProcesses: false }),
    chromiumSandbox: !isRoot,
    args: [...quietArgs, '--disable-gpu', '--disable-software-rasterizer'],
    ignoreDefaultArgs: ['--enable-unsafe-swiftshader'],
    artifactsDir: folder,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
  });
  return { browser, page: await browser.newPage({ viewport }), close: () => browser.close() };
}

/** Root has no sandbox of Chromium's without a user for the browser; the walls of the launcher are on both sides. */
const isRoot = process.getuid?.() === 0;
