import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { after, before, describe, it } from 'node:test';
import type { SavedState } from '@pilothouse/bus';
import type { BrowserContext, Page } from 'playwright-core';
import type { Site } from '../testing/site.ts';
import { ENTERED, startSiteWithState } from '../testing/site-with-state.ts';
import { until } from '../testing/until.ts';
import { type Chromium, launchChromium } from './chromium.ts';
import { makeReady, openContext } from './context.ts';
import { startDeadline } from './deadline.ts';
import { type Folder, openHostFolder } from './folder.ts';
import { type OnCut, readState } from './state.ts';
import { createUsers } from './users.ts';

const viewport = { width: 1280, height: 720 };
const users = createUsers({ firstUid: process.getuid?.() === 0 ? 35_000 : undefined, count: 8 });
const soon = (ms = 10_000) => startDeadline(ms, new AbortController().signal);

describe('the state of a browser', () => {
  let site: Site;
  let other: Site;
  let folder: Folder;
  const launched: Chromium[] = [];
  before(async () => {
    [site, other] = await Promise.all([startSiteWithState(), startSiteWithState()]);
    folder = await openHostFolder(tmpdir(), 'state-test');
  });
  after(async () => {
    await Promise.all(launched.map((chromium) => chromium.close()));
    await Promise.all([site?.close(), other?.close(), folder?.close()]);
  });

  async function launch(): Promise<Chromium> {
    const path = '/usr/lib/chromium/chromium-headless-shell';
    const chromium = await launchChromium({ path, parent: folder.path, users, hasSandbox: true, timeoutMs: 15_000 });
    launched.push(chromium);
    return chromium;
  }
  const fresh = async () => openContext(await launch(), viewport, null, soon());
  const read = (context: BrowserContext, front: Page, onCut?: OnCut) =>
    readState(
      context,
      {
        all: () => context.pages(),
        current: () => front,
        scroll: async (page) => ({ x: 0, y: await page.evaluate<number>('scrollY') }),
      },
      soon(),
      onCut,
    );
  async function enter(page: Page, at: Site, tab: string): Promise<void> {
    await page.goto(`${at.url}/enter?tab=${tab}`);
    await page.waitForFunction('document.title === "Entered"');
    await page.goto(`${at.url}/home`);
    await isHome(page, tab);
  }
  const isHome = (page: Page, tab: string) => until(async () => (await page.title()) === ENTERED(tab), 5000);

  it('brings back cookies, storage, databases and tabs before any script of theirs runs, warm or not', async () => {
    const { context, front } = await fresh();
    const second = await context.newPage();
    await enter(front, site, 'one');
    await enter(second, other, 'two');
    await front.evaluate('scrollTo(0, 700)');
    // Tab one has been at the other site too, and keeps its storage there.
    const state = await read(context, front);
    assert.deepEqual(
      state.pages.map(({ url, scroll_y, session_storage }) => ({ url, scroll_y, session_storage })),
      [
        { url: `${other.url}/home`, scroll_y: 0, session_storage: { [other.url]: { tab: 'two' } } },
        { url: `${site.url}/home`, scroll_y: 700, session_storage: { [site.url]: { tab: 'one' } } },
      ],
      'the tab in front is last',
    );
    // As it travels.
    const sent: SavedState = JSON.parse(JSON.stringify(state));
    for (const chromium of [await launch(), await makeReady(await launch(), viewport)]) {
      const { context: restored, front: first } = await openContext(chromium, viewport, sent, soon());
      const [behind, inFront] = restored.pages();
      assert.ok(behind && inFront && inFront === first);
      await isHome(first, 'one');
      await isHome(behind, 'two');
      assert.equal(await first.evaluate('scrollY'), 700);
      assert.deepEqual(await read(restored, first), state, 'and it is the same state again');
    }
  });

  it('keeps what a tab stored at a site it has left, and lets a page change it once it is back', async () => {
    const { context, front } = await fresh();
    await enter(front, site, 'left');
    await read(context, front);
    await front.goto(`${other.url}/home`);
    const state = await read(context, front);
    assert.deepEqual(state.pages[0]?.session_storage, { [site.url]: { tab: 'left' } });
    const { context: restored, front: first } = await openContext(await launch(), viewport, state, soon());
    await first.goto(`${other.url}/home`);
    await first.evaluate('sessionStorage.clear()');
    await first.reload();
    assert.equal(await first.evaluate('sessionStorage.length'), 0, 'what is put back is put back once');
    assert.deepEqual((await read(restored, first)).pages[0]?.session_storage, { [site.url]: { tab: 'left' } });
  });

  it('that is too large leaves out databases first, and says so', async () => {
    const { context, front } = await fresh();
    await enter(front, site, 'one');
    await front.evaluate(`new Promise((resolve, reject) => {
      const opening = indexedDB.open('large', 1);
      opening.onupgradeneeded = () => opening.result.createObjectStore('rows');
      opening.onsuccess = () => {
        const work = opening.result.transaction('rows', 'readwrite');
        work.objectStore('rows').put('x'.repeat(6 * 1024 * 1024), 1);
        work.oncomplete = () => { opening.result.close(); resolve(); };
        work.onerror = reject;
      };
    })`);
    const cuts: Parameters<OnCut>[0][] = [];
    const state = await read(context, front, (cut) => cuts.push(cut));
    assert.deepEqual(
      cuts.map(({ what }) => what),
      [[`databases of ${site.url}`]],
    );
    assert.ok((cuts[0]?.sizeBytes ?? 0) > 6 * 1024 * 1024);
    assert.ok(JSON.stringify(state).length < 10_000);
    const { cookies, origins } = state.storage as { cookies: object[]; origins: object[] };
    assert.equal(cookies.length, 1);
    assert.deepEqual(origins, [{ origin: site.url, localStorage: [{ name: 'who', value: 'anna' }] }]);
    assert.deepEqual(state.pages[0]?.session_storage, { [site.url]: { tab: 'one' } });
  });

  it('can be read of a page that hangs', async () => {
    const { context, front } = await fresh();
    await enter(front, site, 'one');
    await read(context, front);
    const hanging = await context.newPage();
    await hanging.goto(`${other.url}/home`);
    hanging.evaluate('for (;;);').catch(() => undefined);
    const begun = performance.now();
    const { pages } = await readState(
      context,
      { all: () => context.pages(), current: () => front, scroll: async () => ({ x: 0, y: 0 }) },
      soon(5000),
    );
    console.log(`state beside a page that hangs: ${Math.round(performance.now() - begun)} ms`);
    assert.deepEqual(pages.at(-1)?.session_storage, { [site.url]: { tab: 'one' } });
    assert.equal(pages.length, 2);
    assert.ok(performance.now() - begun < 6000);
  });
});
