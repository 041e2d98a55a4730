import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Step } from '@pilothouse/contract';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../testkit/console/console-page.ts';
import { type Installation, openInstallation } from '../testkit/installation.ts';

const tabs = 8;
/** Wide enough for a machine on which eight more browsers start. */
const patientMs = 120_000;
/** A request that finds no free connection is not answered within this time. */
const starvedMs = 1000;

describe('many tabs of one browser, over HTTP/1.1', () => {
  let installation: Installation;
  let browser: Browser;
  before(async () => {
    process.env.HOST_CAPACITY = String(tabs + 1);
    installation = await openInstallation('tabs');
    browser = await launchBrowser();
  });
  after(async () => {
    delete process.env.HOST_CAPACITY;
    await browser?.close();
    await installation?.close();
  });

  const shopping = (url: string): Step[] => [
    { action: 'navigate', url: `${url}/` },
    { action: 'click', target: 'Add Brass lantern to basket' },
    { action: 'navigate', url: `${url}/?slow_ms=6000` },
    { action: 'click', target: 'Add Pocket compass to basket' },
    { action: 'navigate', url: `${url}/?slow_ms=6000` },
    { action: 'navigate', url: `${url}/?slow_ms=6000` },
    { action: 'navigate', url: `${url}/?slow_ms=6000` },
    { action: 'navigate', url: `${url}/basket` },
    { action: 'wait', for: { text: 'Pocket compass' } },
  ];
  const newSession = async () => (await installation.client.createSession()).session.id;
  const work = (session_id: string) =>
    installation.client.sendChat({ prompt: 'shop', steps: shopping(installation.shop.url), session_id });
  async function until(isSo: () => Promise<boolean>, what: () => unknown): Promise<void> {
    const end = performance.now() + patientMs;
    while (!(await isSo())) {
      assert.ok(performance.now() < end, `not in time: ${JSON.stringify(await what())}`);
      await sleep(100);
    }
  }
  const viewersOf = async (id: string) => (await installation.client.getSession({ id })).snapshot.session.viewers;

  /** What the page of a session shows in a tab. */
  const seenBy = async (page: Page) => ({
    frame: await page
      .getByTestId('picture')
      .getAttribute('data-frame', { timeout: 1000 })
      .catch(() => null),
    steps: await page.locator('[data-testid=step][data-state=done]').count(),
    isEnded: (await page.locator('[data-testid=task-status][data-status=success]').count()) > 0,
  });
  /** Plain requests of a tab, one after the other: how long each took, in milliseconds. */
  const ask = (page: Page, count: number) =>
    page.evaluate(async (times) => {
      const took: number[] = [];
      for (let n = 0; n < times; n += 1) {
        const begun = performance.now();
        const late = AbortSignal.timeout(10_000);
        const { ok } = await fetch('/api/sessions?limit=5', { signal: late }).catch(() => ({ ok: false }));
        took.push(ok ? performance.now() - begun : Number.POSITIVE_INFINITY);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      return took;
    }, count);

  it('starve where each stream has a connection of its own', async () => {
    const context = await browser.newContext();
    await context.addInitScript(() => Reflect.deleteProperty(globalThis, 'SharedWorker'));
    const pages = await Promise.all(Array.from({ length: 4 }, () => context.newPage()));
    const { session } = await installation.client.createSession();
    // Loaded before the streams take their connections.
    for (const page of pages) await page.goto(`${installation.baseUrl}/settings`);
    for (const page of pages)
      await page.evaluate((id) => {
        for (const _ of [1, 2]) void fetch(`/api/sessions/${id}/live`).then(({ body }) => body?.getReader().read());
      }, session.id);
    await until(
      async () => (await viewersOf(session.id)) === 6,
      () => viewersOf(session.id),
    );
    const [first] = pages;
    assert.ok(first);
    const answered = first.evaluate(
      (ms) =>
        fetch('/api/sessions?limit=5', { signal: AbortSignal.timeout(ms) }).then(
          () => true,
          () => false,
        ),
      starvedMs,
    );
    assert.equal(await answered, false, 'six connections are all that there are');
    await context.close();
  });

  it('each show their own session and task to the end, through the death of the server, and ask plainly meanwhile', async () => {
    const context = await browser.newContext();
    const sessions = await Promise.all(Array.from({ length: tabs }, newSession));
    const pages = await Promise.all(sessions.map(() => context.newPage()));
    for (const [index, page] of pages.entries()) {
      await page.goto(`${installation.baseUrl}/sessions/${sessions[index]}`);
      await page.getByTestId('driver').waitFor({ timeout: patientMs });
    }
    await Promise.all(sessions.map(work));
    const allSeen = () => Promise.all(pages.map(seenBy));
    await until(
      async () => (await allSeen()).every(({ frame, steps, isEnded }) => frame && (steps > 0 || isEnded)),
      allSeen,
    );
    const workers = await sharedWorkersOf(browser);
    assert.equal(workers, 1, 'one worker for all of them');
    for (const id of sessions) assert.equal(await viewersOf(id), 1);
    const took = (await Promise.all(pages.map((page) => ask(page, 10)))).flat();
    sayFigures('plain requests beside 16 streams', took);

    assert.ok(
      (await allSeen()).some(({ isEnded }) => !isEnded),
      'there is still something to miss',
    );
    await installation.stack.kill('server-1');
    await installation.stack.start('server-1');
    await until(async () => (await allSeen()).every(({ isEnded }) => isEnded), allSeen);
    const again = (await Promise.all(pages.map((page) => ask(page, 10)))).flat();
    sayFigures('plain requests after the restart', again);
    for (const times of [took, again]) {
      const sorted = times.toSorted((a, b) => a - b);
      assert.ok(
        (sorted[Math.floor(sorted.length * 0.9)] ?? 0) < starvedMs,
        'nine of ten in less than a starved one waits',
      );
      assert.ok(sorted.every(Number.isFinite), 'and all of them answered');
    }

    for (const page of pages) {
      await page.getByRole('tab', { name: 'Steps' }).click();
      await page.locator('[data-testid=step][data-state=done]').nth(8).waitFor({ timeout: patientMs });
      assert.equal((await seenBy(page)).steps, 9);
      assert.match((await page.getByTestId('address').textContent()) ?? '', /\/basket/);
    }

    // One stays, so that the worker lives on and has to notice by itself.
    const [first, ...others] = pages;
    const begun = performance.now();
    await Promise.all(others.map((page) => page.close()));
    const watched = () => Promise.all(sessions.map(viewersOf));
    await until(async () => String(await watched()) === '1,0,0,0,0,0,0,0', watched);
    const noticedMs = performance.now() - begun;
    console.log(`seven closed tabs were noticed after ${Math.round(noticedMs)} ms`);
    assert.ok(noticedMs < 20_000, 'by their locks: by their silence it takes longer');
    assert.equal(await sharedWorkersOf(browser), 1);
    await first?.close();
    await until(async () => (await watched()).every((count) => count === 0), watched);
    await context.close();
  });
});

async function sharedWorkersOf(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { targetInfos } = await session.send('Target.getTargets');
  await session.detach();
  return targetInfos.filter(({ type }) => type === 'shared_worker').length;
}

function sayFigures(what: string, times: number[]): void {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number) => Math.round(sorted[Math.floor((sorted.length - 1) * part)] ?? 0);
  console.log(`${what}: ${times.length}, p50 ${at(0.5)} ms, slowest ${at(1)} ms`);
}
