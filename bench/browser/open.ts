import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { newId } from '../../apps/browser/src/common/id.ts';
import { drive } from '../../apps/browser/testing/host.ts';
import { ENTERED, startSiteWithState } from '../../apps/browser/testing/site-with-state.ts';
import { hostId, type ShotHost, startShotHost } from '../../testkit/host.ts';
import { figuresOf, ratio } from '../../testkit/percentiles.ts';
import { until } from '../../testkit/until.ts';

export const shell = '/usr/lib/chromium/chromium-headless-shell';
export const flags = [
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic',
  '--disable-domain-reliability',
  '--no-pings',
];

/**
 * From the wish to have a session to the first picture of a page in it, beside a bare launch of the same browser, one
 * after the other, so that both have the same weather.
 */
export async function measureOpen({ opens, restores }: { opens: number; restores: number }) {
  const site = await startSiteWithState();
  const host = await startShotHost({ leaseMs: 20_000, capacity: 4, warm: 1, firstUid: 43_000, sites: [site.url] });
  const times = { bare: [] as number[], warm: [] as number[], restored: [] as number[], repaired: [] as number[] };
  try {
    await host.start();
    for (let i = 0; i < opens; i += 1) {
      times.bare.push(await bareOpen(`${site.url}/home`));
      times.warm.push(await warmOpen(host, `${site.url}/home`));
    }
    for (let i = 0; i < restores; i += 1) {
      const { restored, repaired } = await restoredOpen(host, site.url);
      times.restored.push(restored);
      times.repaired.push(repaired);
    }
  } finally {
    await host.close();
    await site.close();
  }
  const [bare, warm] = [figuresOf(times.bare), figuresOf(times.warm)];
  return {
    open_to_picture_ms: { warm, bare, ratio: ratio(warm, bare) },
    open_with_state_to_picture_ms: figuresOf(times.restored),
    killed_to_repaired_ms: figuresOf(times.repaired),
  };
}

/** Launch, page, address, picture, and nothing else. As root it has no sandbox, which only makes it quicker. */
async function bareOpen(url: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'pilothouse-bare-'));
  const begun = performance.now();
  const browser = await chromium.launch({ executablePath: shell, args: flags, artifactsDir: folder });
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  await page.goto(url);
  await page.screenshot({ type: 'jpeg', quality: 60 });
  const ms = performance.now() - begun;
  await browser.close();
  await rm(folder, { recursive: true, force: true });
  return ms;
}

async function warmOpen(host: ShotHost, url: string): Promise<number> {
  await until(host.isWarm, 20_000);
  const session = drive(host.agent, hostId);
  const begun = performance.now();
  // The page is part of what is opened, as it is when a session comes back.
  const state = { storage: { cookies: [], origins: [] }, pages: [pageOf(url)] };
  await mustOpen(session, { state });
  await mustSee(session);
  const ms = performance.now() - begun;
  await session.closeSession();
  return ms;
}

/** A logged-in page from its saved state, and again after its browser was killed. */
async function restoredOpen(host: ShotHost, site: string): Promise<{ restored: number; repaired: number }> {
  const first = drive(host.agent, hostId);
  await mustOpen(first, {});
  await first.act({ action: 'navigate', url: `${site}/enter` });
  await first.act({ action: 'navigate', url: `${site}/home` });
  const { acted } = await first.act({ action: 'wait', for: { text: 'Home' } });
  await first.closeSession();
  await until(host.isWarm, 20_000);

  const session = drive(host.agent, hostId, newId());
  // All that run are of the one that waits, and that is the one it gets.
  const pids = await host.browsers();
  const begun = performance.now();
  await mustOpen(session, { state: acted.state });
  await mustSee(session);
  const restored = performance.now() - begun;
  await isHome(session, 1);

  await until(host.isWarm, 20_000);
  const before = host.crashes();
  const killed = performance.now();
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  await until(() => host.crashes() > before, 5000);
  await mustOpen(session, { state: acted.state, epoch: 2 });
  await mustSee(session);
  const repaired = performance.now() - killed;
  await isHome(session, 2);
  await session.closeSession(2);
  return { restored, repaired };
}

type Driver = ReturnType<typeof drive>;

async function mustOpen(session: Driver, how: Parameters<Driver['open']>[0]): Promise<void> {
  const opened = await session.open(how);
  if (!opened.ok) throw new Error(`not opened: ${opened.failure}`);
}

async function mustSee(session: Driver): Promise<void> {
  const { head } = await session.tell({ type: 'look' });
  if (!head.ok) throw new Error(`no picture: ${head.failure}`);
}

async function isHome(session: Driver, epoch: number): Promise<void> {
  const { acted } = await session.act({ action: 'wait', for: { text: 'Home' } }, { epoch });
  if (acted.after.title !== ENTERED('one')) throw new Error(`not as it was: ${acted.after.title}`);
}

const pageOf = (url: string) => ({ url, scroll_x: 0, scroll_y: 0, session_storage: {} });
