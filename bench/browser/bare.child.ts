// Bare Chromiums whose pages are cast over the browser's own protocol, and nothing else: what ours is measured against.
// They are started as ours are, so that the difference is what we do with them.
import { tmpdir } from 'node:os';
import type { Page } from 'playwright-core';
import { openHostFolder } from '../../apps/browser/src/chromium/folders.ts';
import { launchChromium } from '../../apps/browser/src/chromium/launch.ts';
import { createUsers } from '../../apps/browser/src/chromium/unix-users.ts';

const firstUid = process.getuid?.() === 0 ? 100_000 + process.pid * 64 : undefined;
const users = createUsers({ firstUid, count: 64 });
const path = '/usr/lib/chromium/chromium-headless-shell';

export type BareOrder =
  | { type: 'open'; count: number }
  | { type: 'go'; url: string }
  | { type: 'cast' }
  | { type: 'rest' };

const folder = await openHostFolder(tmpdir(), `bare-${process.pid}`);
const closers: (() => Promise<void>)[] = [];
const pages: Page[] = [];
let endCasts: (() => Promise<void>)[] = [];
let frames = 0;

async function open(): Promise<void> {
  const chromium = await launchChromium({ path, parent: folder.path, users, hasSandbox: true, timeoutMs: 20_000 });
  closers.push(chromium.close);
  const context = await chromium.browser.newContext({ viewport: { width: 1280, height: 720 } });
  pages.push(await context.newPage());
}

async function cast(page: Page): Promise<void> {
  const cdp = await page.context().newCDPSession(page);
  cdp.on('Page.screencastFrame', ({ sessionId }) => {
    frames += 1;
    cdp.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined);
  });
  await cdp.send('Page.startScreencast', { format: 'jpeg', quality: 60 });
  endCasts.push(() => cdp.detach());
}

process.on('message', async (order: BareOrder) => {
  if (order.type === 'open') for (let slot = 0; slot < order.count; slot++) await open();
  if (order.type === 'go') await Promise.all(pages.map((page) => page.goto(order.url)));
  if (order.type === 'cast') await Promise.all(pages.map(cast));
  if (order.type === 'rest') {
    await Promise.all(endCasts.map((end) => end()));
    endCasts = [];
  }
  process.send?.(frames);
});
process.once('disconnect', async () => {
  await Promise.all(closers.map((close) => close()));
  await folder.close();
  process.exit();
});
process.send?.(0);
