// What the host's own acts cost over the pipe that it owns, beside the same Chromium started by the library itself; and what
// those of a guest cost through its door, beside the host's own on the same page. All in this process, in turns.

import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { quietArgs } from '../../apps/browser/src/chromium/flags.ts';
import { type Chromium, launchChromium } from '../../apps/browser/src/chromium/launch.ts';
import { writeLauncher } from '../../apps/browser/src/chromium/launcher.ts';
import { createUsers } from '../../apps/browser/src/chromium/unix-users.ts';
import { connectThroughDoor, contextIdOf } from '../../apps/browser/testing/doors.ts';
import { startSite } from '../../apps/browser/testing/site.ts';
import { type Figures, figuresOf, ratio } from '../../testkit/percentiles.ts';

const path = '/usr/lib/chromium/chromium-headless-shell';
const viewport = { width: 1280, height: 720 };

type Side = { browser: Browser; page: Page; close(): Promise<unknown> };

type Act = (side: Side) => Promise<unknown>;

const acts: Record<string, Act> = {
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

export async function measureCdp(rounds: number) {
  const opened = new AsyncDisposableStack();
  try {
    return await measureIn(opened, rounds);
  } finally {
    await opened.disposeAsync();
  }
}

async function measureIn(opened: AsyncDisposableStack, rounds: number) {
  const parent = await mkdtemp(join(tmpdir(), 'pilothouse-bench-cdp-'));
  opened.defer(() => rm(parent, { recursive: true, force: true }));
  await chmod(parent, 0o711);
  const site = await startSite();
  opened.defer(site.close);
  const ours = await ownPipe(parent);
  opened.defer(async () => void (await ours.close()));
  const before = await ownedByLibrary(parent);
  opened.defer(async () => void (await before.close()));
  await Promise.all([ours, before].map(({ page }) => page.goto(`${site.url}/form`)));
  const own = await inTurns([ours, before], acts, rounds);
  // A guest has one context, and cannot open another.
  const { open_context: _, ...guestActs } = acts;
  const guest = await guestOf(ours);
  const guests = await inTurns([guest, ours], guestActs, rounds);
  await guest.close();
  return { own: shown(own, 'ours', 'before'), guest: shown(guests, 'guest', 'host') };
}

type Times = { name: string; first: number[]; second: number[] };

/** The times of each act at two sides, which take turns at being the first. */
async function inTurns(sides: [Side, Side], all: Record<string, Act>, rounds: number): Promise<Times[]> {
  const took = Object.keys(all).map((name): Times => ({ name, first: [], second: [] }));
  // The first rounds fill caches and are not counted.
  for (let round = -2; round < rounds; round += 1)
    for (const times of took)
      for (const at of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
        const measured = await timesOf(sides[at], all[times.name]);
        if (round >= 0) times[at === 0 ? 'first' : 'second'].push(...measured);
      }
  return took;
}

/** All acts together, and one by one. */
function shown<A extends string, B extends string>(took: Times[], one: A, other: B) {
  const compare = (first: number[], second: number[]) => {
    const [a, b] = [figuresOf(first), figuresOf(second)];
    return { [one]: a, [other]: b, ratio: ratio(a, b) } as Record<A | B, Figures> & { ratio: number };
  };
  return {
    acts_ms: compare(sumOf(took.map(({ first }) => first)), sumOf(took.map(({ second }) => second))),
    by_act_ms: Object.fromEntries(took.map(({ name, first, second }) => [name, compare(first, second)])),
  };
}

async function timesOf(side: Side, act: Act | undefined): Promise<number[]> {
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

/** Playwright through a door, on the page of the host. */
async function guestOf({ page, openGuest }: OwnSide): Promise<Side> {
  const { browser, close } = await connectThroughDoor({ openGuest }, await contextIdOf(page.context()));
  const [same] = browser.contexts()[0]?.pages() ?? [];
  if (!same) throw new Error('the guest sees no page');
  return { browser, page: same, close };
}

type OwnSide = Side & Pick<Chromium, 'openGuest'>;

async function ownPipe(parent: string): Promise<OwnSide> {
  const users = createUsers({ firstUid: undefined, count: 1 });
  const started = await launchChromium({ path, parent, users, hasSandbox: !isRoot, timeoutMs: 20_000 });
  const page = await started.browser.newPage({ viewport });
  return { browser: started.browser, page, close: started.close, openGuest: started.openGuest };
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
