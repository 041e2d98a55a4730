// A long task in the session page: how smoothly its timeline scrolls beside a page of as many plain rows in the same run, and
// how many nodes the page has.

import { chromium, type Page } from 'playwright-core';
import type { Installation } from '../../testkit/installation.ts';
import { countNodes, openLongTask } from '../../testkit/long-task.ts';
import { round } from '../../testkit/percentiles.ts';
import { withInstallation } from '../installation.ts';
import { openPlainRows } from './plain-rows.ts';

/** How far one notch of the wheel goes. */
const wheelPx = 240;

/** The times between two frames while the wheel is turned from one end of the timeline to the other. */
async function scroll(page: Page, direction: -1 | 1): Promise<number[]> {
  const box = await page.getByTestId('timeline').boundingBox();
  if (!box) throw new Error('the timeline is not in the page');
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.evaluate(() => {
    const times: number[] = [];
    let last = performance.now();
    const onFrame = (now: number) => {
      times.push(now - last);
      last = now;
      requestAnimationFrame(onFrame);
    };
    requestAnimationFrame(onFrame);
    Object.assign(globalThis, { frameTimes: times });
  });
  const where = () => page.getByTestId('timeline').evaluate(({ scrollTop }) => scrollTop);
  for (let before = -1, now = await where(); now !== before; ) {
    before = now;
    for (let count = 0; count < 20; count += 1) await page.mouse.wheel(0, direction * wheelPx);
    now = await where();
  }
  return page.evaluate(() => Reflect.get(globalThis, 'frameTimes').splice(0));
}

function frameTimes(times: readonly number[]) {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number) => round(sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN);
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), max: at(1) };
}

export const measureTimeline = (steps: number) => withInstallation((installation) => measureIn(installation, steps));

async function measureIn(installation: Installation, steps: number) {
  // Our own page on loopback: the sandbox, which root cannot have, is not needed.
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium-headless-shell', args: ['--no-sandbox'] });
  try {
    const page = await openLongTask(installation, browser, steps);
    const nodes = [await countNodes(page)];
    const times = await scroll(page, -1);
    await page.locator('[data-testid=step][data-state=done]').filter({ hasText: 'Step 2' }).first().waitFor();
    nodes.push(await countNodes(page));
    times.push(...(await scroll(page, 1)));
    nodes.push(await countNodes(page));
    await page.close();
    const bare = await openPlainRows(browser, steps);
    const bareTimes = [...(await scroll(bare, -1)), ...(await scroll(bare, 1))];
    const [ours, plain] = [frameTimes(times), frameTimes(bareTimes)];
    return {
      steps,
      frame_ms: ours,
      plain_ms: plain,
      p95_ratio: round(ours.p95 / plain.p95),
      nodes: Math.max(...nodes),
    };
  } finally {
    await browser.close();
  }
}
