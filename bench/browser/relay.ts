// What a program pays for a session of ours instead of a Chromium of its own: the same script, unmodified, over the session's
// address (server, bus, host, door, and its acts in the ledger) and over the WebSocket of a bare Chromium, in turns.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Browser, chromium, type Page } from 'playwright-core';
import { attachToPage, connectRaw, evaluate, type RawClient } from '../../testkit/cdp/raw-client.ts';
import { whenFree } from '../../testkit/cdp/when-free.ts';
import { figuresOf, ratio, round } from '../../testkit/percentiles.ts';
import { type BenchInstallation, withInstallation } from '../installation.ts';

const path = '/usr/lib/chromium/chromium-headless-shell';
const connectMs = 40_000;
/** A click and a text, this often: fifty acts. */
const pairs = 25;

type Plan = { rounds: number; requests: number };
/** `address` is asked for again and again: a ticket opens one connection. */
type Side = { name: 'ours' | 'bare'; address(): Promise<string>; close(): Promise<void> };

export const measureRelay = (plan: Plan) =>
  withInstallation(async (installation) => {
    const sides = [await oursOf(installation), await startBare()];
    try {
      const url = `${installation.site.url}/desk`;
      const [ours, bare] = [await measureScript(sides, url, plan.rounds), await measureTrips(sides, plan.requests)];
      return { script_ms: ours, round_trip_ms: { ...bare, more: round(bare.ours.p50 - bare.bare.p50) } };
    } finally {
      await Promise.all(sides.map((side) => side.close()));
    }
  });

async function measureScript(sides: Side[], url: string, rounds: number) {
  const opened = await Promise.all(sides.map((side) => openPage(side)));
  const took = { ours: [] as number[], bare: [] as number[] };
  // The first fills caches and is not counted.
  for (let n = -1; n < rounds; n += 1)
    for (const { name, page } of n % 2 === 0 ? opened : opened.toReversed()) {
      const ms = await timeScript(page, url);
      if (n >= 0) took[name].push(ms);
    }
  await Promise.all(opened.map(({ browser }) => browser.close()));
  return compared(took);
}

async function openPage({ name, address }: Side): Promise<{ name: Side['name']; browser: Browser; page: Page }> {
  const browser = await chromium.connectOverCDP(await address(), { timeout: connectMs });
  const [context] = browser.contexts();
  if (!context) throw new Error(`${name}: no context`);
  return { name, browser, page: await whenFree(async () => context.pages()[0] ?? (await context.newPage())) };
}

async function timeScript(page: Page, url: string): Promise<number> {
  const begun = performance.now();
  await whenFree(() => page.goto(url));
  for (let n = 0; n < pairs; n += 1) {
    await page.getByRole('button', { name: 'Count' }).click();
    await page.getByLabel('Name').fill(`name ${n}`);
  }
  const counted = await page.locator('output').textContent();
  if (counted !== String(pairs)) throw new Error(`${counted} of ${pairs} clicks`);
  return performance.now() - begun;
}

async function measureTrips(sides: Side[], requests: number) {
  const clients = await Promise.all(sides.map(async (side) => ({ side, ...(await openRaw(await side.address())) })));
  const took = { ours: [] as number[], bare: [] as number[] };
  for (let n = -10; n < requests; n += 1)
    for (const { side, raw, sessionId } of clients) {
      const begun = performance.now();
      await evaluate(raw, sessionId, '1');
      if (n >= 0) took[side.name].push(performance.now() - begun);
    }
  for (const { raw } of clients) raw.close();
  return compared(took);
}

async function openRaw(address: string): Promise<{ raw: RawClient; sessionId: string }> {
  const raw = await connectRaw(address);
  const { sessionId } = await whenFree(() => attachToPage(raw));
  return { raw, sessionId };
}

function compared(took: { ours: number[]; bare: number[] }) {
  const [ours, bare] = [figuresOf(took.ours), figuresOf(took.bare)];
  return { ours, bare, ratio: ratio(ours, bare) };
}

async function oursOf({ client }: Pick<BenchInstallation, 'client'>): Promise<Side> {
  const { session } = await client.createSession();
  return {
    name: 'ours',
    address: async () => (await client.openProgramAccess({ id: session.id })).cdp.ws_url,
    close: async () => void (await client.deleteSession({ id: session.id })),
  };
}

/** With a port on this machine, as people start one for their programs. */
async function startBare(): Promise<Side> {
  const folder = await mkdtemp(join(tmpdir(), 'pilothouse-bench-relay-'));
  const args = ['--remote-debugging-port=0', `--user-data-dir=${folder}`, '--no-first-run', '--disable-gpu'];
  // Root has no sandbox of Chromium's; the only page is that of the bench.
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const child = spawn(path, [...args, ...asRoot, 'about:blank'], { stdio: ['ignore', 'ignore', 'pipe'] });
  const gone = once(child, 'exit');
  const address = await addressIn(child.stderr);
  return {
    name: 'bare',
    address: async () => address,
    async close() {
      child.kill('SIGTERM');
      await gone;
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

/** What it prints afterwards is read too: a full pipe would stop it. */
async function addressIn(output: NodeJS.ReadableStream): Promise<string> {
  const found = Promise.withResolvers<string>();
  const lines = createInterface({ input: output });
  lines.on('line', (line) => {
    const [, address] = /^DevTools listening on (ws:\S+)$/.exec(line) ?? [];
    if (address) found.resolve(address);
  });
  const timer = setTimeout(() => found.reject(new Error('Chromium named no address in time')), connectMs);
  return found.promise.finally(() => clearTimeout(timer));
}
