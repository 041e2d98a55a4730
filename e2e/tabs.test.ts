import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LiveEvent, Step, TaskEvent } from '@pilothouse/contract';
import { type Browser, chromium, type Page } from 'playwright-core';
import { type Installation, openInstallation } from '../testkit/installation.ts';

const tabs = 8;
/** Wide enough for a machine on which eight more browsers start. */
const patientMs = 120_000;

/** What a tab has seen, as its own script kept it. */
type TabHistory = {
  live: number[];
  task: number[];
  frames: number;
  /** Where the snapshot ended that its live stream began with. */
  from: string | undefined;
  isEnded: boolean;
  errors: string[];
  states: string[];
};
type Followed = { session: string; task: string };

describe('many tabs of one browser, over HTTP/1.1', () => {
  let installation: Installation;
  let browser: Browser;
  before(async () => {
    process.env.HOST_CAPACITY = String(tabs + 1);
    installation = await openInstallation('tabs');
    // Our own page on loopback: the sandbox, which root cannot have, is not needed.
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium-headless-shell', args: ['--no-sandbox'] });
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
    { action: 'navigate', url: `${url}/basket` },
    { action: 'wait', for: { text: 'Pocket compass' } },
  ];
  async function newWork(): Promise<Followed> {
    const { session_id, task_id } = await installation.client.sendChat({
      prompt: 'shop',
      steps: shopping(installation.shop.url),
    });
    return { session: session_id, task: task_id };
  }
  async function until(isSo: () => Promise<boolean>, what: () => unknown): Promise<void> {
    const end = performance.now() + patientMs;
    while (!(await isSo())) {
      assert.ok(performance.now() < end, `not in time: ${JSON.stringify(await what())}`);
      await sleep(100);
    }
  }
  const seenBy = (page: Page) => page.evaluate(() => (globalThis as unknown as { seen: TabHistory }).seen);
  const viewersOf = async (id: string) => (await installation.client.getSession({ id })).snapshot.session.viewers;

  /** Follows in the tab, with the SDK that the page itself uses. */
  async function followIn(page: Page, followed: Followed): Promise<void> {
    await page.goto(`${installation.baseUrl}/classic`);
    await page.evaluate(async ({ session, task }) => {
      const seen: TabHistory = {
        live: [],
        task: [],
        frames: 0,
        from: undefined,
        isEnded: false,
        errors: [],
        states: [],
      };
      Object.assign(globalThis, { seen });
      const { createClient } = await import('@pilothouse/sdk');
      const client = createClient({ baseUrl: location.origin, sharedAs: () => 'tabs' });
      const note = (error: unknown) => void seen.errors.push(String(error));
      const onConnection = (state: string) => void seen.states.push(state);
      const watch = async () => {
        for await (const event of client.followSession({ id: session }, { onConnection })) {
          if (event.type === 'snapshot') seen.from ??= event.snapshot.cursor;
          if (event.type === 'frame') seen.frames += 1;
          if ('seq' in event) seen.live.push(event.seq);
        }
      };
      const trace = async () => {
        for await (const event of client.followTask({ id: task })) {
          if ('seq' in event) seen.task.push(event.seq);
          if (event.type === 'end') seen.isEnded = true;
        }
      };
      watch().catch(note);
      trace().catch(note);
    }, followed);
  }
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
  /** What the server says that there was to see, from the same place to the same end. */
  async function logOf({ session, task }: Followed, { from, live }: TabHistory) {
    const signal = AbortSignal.timeout(30_000);
    const taskSeqs: number[] = [];
    for await (const event of installation.client.followTask({ id: task }, { signal })) taskSeqs.push(...seqOf(event));
    const liveSeqs: number[] = [];
    const last = live.at(-1) ?? 0;
    if (last > 0)
      for await (const event of installation.client.followSession({ id: session, cursor: from }, { signal })) {
        liveSeqs.push(...seqOf(event));
        if ((liveSeqs.at(-1) ?? 0) >= last) break;
      }
    return { task: taskSeqs, live: liveSeqs };
  }
  const seqOf = (event: LiveEvent | TaskEvent) => ('seq' in event ? [event.seq] : []);

  it('starve where each stream has a connection of its own', async () => {
    const context = await browser.newContext();
    await context.addInitScript(() => Reflect.deleteProperty(globalThis, 'SharedWorker'));
    const pages = await Promise.all(Array.from({ length: 4 }, () => context.newPage()));
    const { session } = await installation.client.createSession();
    // Loaded before the streams take their connections.
    for (const page of pages) await page.goto(`${installation.baseUrl}/classic`);
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
    const answered = first.evaluate(() =>
      fetch('/api/sessions?limit=5', { signal: AbortSignal.timeout(3000) }).then(
        () => true,
        () => false,
      ),
    );
    assert.equal(await answered, false, 'six connections are all that there are');
    await context.close();
  });

  it('each see all of their own session and task, through the death of the server, and ask plainly meanwhile', async () => {
    const context = await browser.newContext();
    const works = await Promise.all(Array.from({ length: tabs }, newWork));
    const pages = await Promise.all(works.map(() => context.newPage()));
    await Promise.all(works.map((work, index) => pages[index] && followIn(pages[index], work)));
    const allSeen = () => Promise.all(pages.map(seenBy));
    await until(async () => (await allSeen()).every(({ frames, task }) => frames > 0 && task.length > 2), allSeen);
    const workers = await sharedWorkersOf(browser);
    assert.equal(workers, 1, 'one worker for all of them');
    for (const { session } of works) assert.equal(await viewersOf(session), 1);
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
      assert.ok((sorted[Math.floor(sorted.length * 0.9)] ?? 0) < 1000, 'nine of ten within a second');
      assert.ok(sorted.every(Number.isFinite), 'and all of them answered');
    }

    for (const [index, seen] of (await allSeen()).entries()) {
      const work = works[index];
      assert.ok(work);
      assert.deepEqual(seen.errors, []);
      const log = await logOf(work, seen);
      assert.deepEqual(seen.task, log.task, `the task of tab ${index + 1}`);
      assert.deepEqual(seen.live, log.live, `the session of tab ${index + 1}`);
      assert.ok(seen.live.length > 0 && seen.task.length > 10);
      assert.ok(seen.states.includes('reconnecting') && seen.states.at(-1) === 'connected', seen.states.join());
    }

    // One stays, so that the worker lives on and has to notice by itself.
    const [first, ...others] = pages;
    const begun = performance.now();
    await Promise.all(others.map((page) => page.close()));
    const watched = () => Promise.all(works.map(({ session }) => viewersOf(session)));
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
