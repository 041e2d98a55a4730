import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { after, afterEach, before, describe, it } from 'node:test';
import type { SavedState } from '@pilothouse/bus';
import type { BrowserContext, Page } from 'playwright-core';
import { until } from '../../../../testkit/until.ts';
import { follow } from '../../testing/follow.ts';
import type { Site } from '../../testing/site.ts';
import { ENTERED, startSiteWithState } from '../../testing/site-with-state.ts';
import { type Folder, openHostFolder } from '../chromium/folders.ts';
import { type Chromium, launchChromium } from '../chromium/launch.ts';
import { createUsers } from '../chromium/unix-users.ts';
import { startDeadline, within } from '../common/deadline.ts';
import { makeReady, openContext } from './restore.ts';
import { type OnCut, placesOf, readState } from './saved-state.ts';

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
  afterEach(async () => {
    await Promise.all(launched.splice(0).map((chromium) => chromium.close()));
  });
  after(async () => {
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
    readState(context, follow(context, front), soon(), { onCut });
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
    const { pages } = await within(soon(6000), readState(context, follow(context, front), soon(5000)));
    console.log(`state beside a page that hangs: ${Math.round(performance.now() - begun)} ms`);
    assert.deepEqual(pages.at(-1)?.session_storage, { [site.url]: { tab: 'one' } });
    assert.equal(pages.length, 2);
  });

  it('is that of all other pages while one asks something, and of that one what was known', async () => {
    const { context, front } = await fresh();
    await enter(front, site, 'one');
    const asking = await context.newPage();
    await enter(asking, other, 'two');
    const known = await read(context, front);
    asking.on('dialog', () => undefined);
    asking.evaluate('alert(1)').catch(() => undefined);
    await asking.waitForEvent('dialog');
    await front.evaluate('sessionStorage.setItem("tab", "changed"); localStorage.setItem("who", "bert")');
    const begun = performance.now();
    const state = await readState(context, follow(context, front), soon(5000), { isMute: (page) => page === asking });
    console.log(`state beside a page that asks: ${Math.round(performance.now() - begun)} ms`);
    assert.deepEqual(state.pages, [
      known.pages[0],
      { ...known.pages[1], session_storage: { [site.url]: { tab: 'changed' } } },
    ]);
    const { origins } = state.storage as { origins: { origin: string; localStorage: { value: string }[] }[] };
    const who = Object.fromEntries(origins.map(({ origin, localStorage }) => [origin, localStorage[0]?.value]));
    assert.deepEqual(who, { [site.url]: 'bert', [other.url]: 'anna' });
  });

  it('says where the pages are also when nothing can be read of them', async () => {
    const { context, front } = await fresh();
    await enter(front, site, 'one');
    const known = await read(context, front);
    const pages = follow(context, front);
    assert.deepEqual(placesOf(pages, known), known);
    await front.goto(`${site.url}/enter`);
    const elsewhere = { url: `${site.url}/enter`, scroll_x: 0, scroll_y: 0, session_storage: {} };
    assert.deepEqual(placesOf(pages, known), { ...known, pages: [elsewhere] });
    assert.deepEqual(placesOf(pages, undefined).pages, [elsewhere]);
  });

  it('is read as it is, whatever a page makes of the language', async () => {
    const chromium = await launch();
    for (const trick of [
      'JSON.stringify = () => { throw new Error("no") }',
      'Array.prototype.toJSON = () => "[1]"; Object.prototype.toJSON = () => 7',
      'Object.defineProperty(window, "sessionStorage", { value: { tab: 1, more: {} } })',
      'Object.defineProperty(window, "localStorage", { value: 5 }); Object.keys = () => [1]',
      'Object.defineProperty(window, "indexedDB", { value: { databases: async () => [{}] } })',
    ]) {
      const { context, front } = await openContext(chromium, viewport, null, soon());
      await enter(front, site, 'one');
      const known = await read(context, front);
      await front.evaluate(trick);
      assert.deepEqual(await read(context, front), known, trick);
      await context.close();
    }
  });

  it('comes back without the storage of a site that does not fit, and with cookies alone where none of it does', async () => {
    const { context, front } = await fresh();
    await enter(front, site, 'one');
    const { storage, pages } = await read(context, front);
    const { cookies, origins } = storage as { cookies: object[]; origins: object[] };
    const spoilt = { origin: other.url, localStorage: '[{"name":"a"}]' };
    // It has the right form, and no browser can put it back.
    const impossible = {
      origin: other.url,
      localStorage: [],
      indexedDB: [{ name: 'x', version: -1, stores: [] }],
    };
    for (const [bad, hasStorage] of [[spoilt, true] as const, [impossible, false] as const])
      for (const chromium of [await launch(), await makeReady(await launch(), viewport)]) {
        const state = { storage: { cookies, origins: [...origins, bad] }, pages };
        const opened = await openContext(chromium, viewport, state, soon());
        assert.equal(opened.hasStorage, hasStorage);
        assert.equal((await opened.context.cookies()).length, 1);
        assert.equal(opened.front.url(), `${site.url}/home`);
        if (hasStorage) await isHome(opened.front, 'one');
      }
  });

  it('stays small however much pages store', async () => {
    const { context, front } = await fresh();
    await front.goto(`${site.url}/home`);
    await front.evaluate(`new Promise((resolve, reject) => {
      const opening = indexedDB.open('many', 1);
      opening.onupgradeneeded = () => opening.result.createObjectStore('rows');
      opening.onsuccess = () => {
        const work = opening.result.transaction('rows', 'readwrite');
        for (let i = 0; i < 1000; i += 1) work.objectStore('rows').put(new Uint8Array(40_000), i);
        work.oncomplete = () => { opening.result.close(); resolve(); };
        work.onerror = reject;
      };
    })`);
    const cuts: Parameters<OnCut>[0][] = [];
    const state = await read(context, front, (cut) => cuts.push(cut));
    assert.deepEqual(cuts[0]?.what, [`databases of ${site.url}`]);
    assert.ok((cuts[0]?.sizeBytes ?? 0) < 5 * 1024 * 1024, 'the rest was not even read');
    assert.ok(JSON.stringify(state).length < 10_000);
    await front.evaluate(
      'sessionStorage.setItem("much", "x".repeat(4.5e6)); localStorage.setItem("much", "y".repeat(4.5e6))',
    );
    const less = await read(context, front, (cut) => cuts.push(cut));
    assert.deepEqual(cuts[1]?.what.toSorted(), [
      `databases of ${site.url}`,
      `local storage of ${site.url}`,
      `session storage of ${site.url}`,
    ]);
    assert.ok(JSON.stringify(less).length < 10_000);
  });

  it('keeps a page whose site was down when it was to come back', async () => {
    const down = await startSiteWithState();
    const { context, front } = await fresh();
    await enter(front, down, 'one');
    const state = await read(context, front);
    await down.close();
    const back = await openContext(await launch(), viewport, state, soon());
    const again = await read(back.context, back.front);
    assert.deepEqual(again.pages, state.pages);
    await back.front.goto(`${site.url}/home`);
    const after = await read(back.context, back.front);
    assert.deepEqual(
      after.pages.map(({ url }) => url),
      [`${site.url}/home`],
    );
  });
});
