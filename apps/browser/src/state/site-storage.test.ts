import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { after, before, describe, it } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { follow } from '../../testing/follow.ts';
import type { Site } from '../../testing/site.ts';
import { startSiteWithState } from '../../testing/site-with-state.ts';
import { type Folder, openHostFolder } from '../chromium/folders.ts';
import { type Chromium, launchChromium } from '../chromium/launch.ts';
import { createUsers } from '../chromium/unix-users.ts';
import { type Deadline, startDeadline, within } from '../common/deadline.ts';
import { openContext } from './restore.ts';
import { readStorage as readFrom } from './site-storage.ts';

const users = createUsers({ firstUid: process.getuid?.() === 0 ? 36_000 : undefined, count: 1 });
const soon = (ms = 10_000) => startDeadline(ms, new AbortController().signal);
const readStorage = (context: BrowserContext, deadline: Deadline) => {
  const [first] = context.pages();
  assert.ok(first);
  const { cdp, mainFrame } = follow(context, first);
  return readFrom(context, {
    cdp,
    mainFrame,
    deadline,
    isMute: () => false,
    onCut: () => assert.fail('all of it fits'),
  });
};

describe('storage that is read again and again', () => {
  let sites: Site[];
  let folder: Folder;
  let chromium: Chromium;
  before(async () => {
    sites = await Promise.all([startSiteWithState(), startSiteWithState(), startSiteWithState()]);
    folder = await openHostFolder(tmpdir(), 'storage-test');
    const path = '/usr/lib/chromium/chromium-headless-shell';
    chromium = await launchChromium({ path, parent: folder.path, users, hasSandbox: true, timeoutMs: 15_000 });
  });
  after(async () => {
    await chromium?.close();
    await Promise.all([...(sites ?? []).map((site) => site.close()), folder?.close()]);
  });
  const at = (index: number, path = '/home') => `${sites[index]?.url}${path}`;
  const fresh = () => openContext(chromium, { width: 800, height: 600 }, null, soon());
  /** The same as the browser library reads it, which looks at everything each time. */
  async function isWhole(context: BrowserContext): Promise<void> {
    const read = await readStorage(context, soon());
    const { cookies, origins } = await context.storageState({ indexedDB: true });
    const byName = (a: { origin: string }, b: { origin: string }) => (a.origin < b.origin ? -1 : 1);
    assert.deepEqual(JSON.parse(JSON.stringify(read)), { cookies, origins: origins.toSorted(byName) });
  }
  const store = (page: Page, name: string, value: string) =>
    page.evaluate(`localStorage.setItem(${JSON.stringify(name)}, ${JSON.stringify(value)})`);

  it('is what the browser library would have read, wherever pages went in between', async () => {
    const { context, front } = await fresh();
    await isWhole(context);
    await front.goto(at(0, '/enter'));
    await front.waitForFunction('document.title === "Entered"');
    await isWhole(context);
    await store(front, 'a', '1');
    await isWhole(context);
    // Changed after the last look, just before it is left.
    await store(front, 'a', '2');
    await front.goto(at(1));
    await isWhole(context);
    await isWhole(context);
    // A frame of a site that is not on screen otherwise, there and gone between two looks.
    await front.evaluate(`new Promise((resolve) => {
      const frame = document.createElement('iframe');
      frame.src = ${JSON.stringify(at(2, '/enter'))};
      frame.onload = () => setTimeout(() => { frame.remove(); resolve(); }, 200);
      document.body.append(frame);
    })`);
    await isWhole(context);
    // A page that a page opens, whose storage it fills from outside as well.
    const [popup] = await Promise.all([
      context.waitForEvent('page'),
      front.evaluate(`void window.open(${JSON.stringify(at(0))})`),
    ]);
    await popup.waitForLoadState();
    await store(popup, 'from', 'popup');
    await popup.close();
    await isWhole(context);
    // A blank page that belongs to the site that opened it, and outlives it there.
    const [heir] = await Promise.all([context.waitForEvent('page'), front.evaluate('void window.open("about:blank")')]);
    await front.goto(at(2));
    await isWhole(context);
    await store(heir, 'from', 'heir');
    await isWhole(context);
    await heir.close();
    await front.evaluate('localStorage.clear()');
    await isWhole(context);
    await context.close();
  });

  it('is written down as the browser library writes it, also where JSON has no words', async () => {
    const { context, front } = await fresh();
    await front.goto(at(0));
    await front.evaluate(`new Promise((resolve, reject) => {
      const opening = indexedDB.open('odd', 2);
      opening.onupgradeneeded = () => {
        const bare = opening.result.createObjectStore('bare');
        const keyed = opening.result.createObjectStore('keyed', { keyPath: ['a', 'b'] });
        keyed.createIndex('pair', ['b', 'a'], { unique: true });
        keyed.createIndex('each', 'list', { multiEntry: true });
        opening.result.createObjectStore('counted', { autoIncrement: true });
        opening.result.createObjectStore('empty');
      };
      opening.onsuccess = () => {
        const work = opening.result.transaction(['bare', 'keyed', 'counted'], 'readwrite');
        const twice = { n: 1 };
        const values = [null, undefined, NaN, -Infinity, 12.5, 10n ** 20n, 'text', true, new Date(5), /x+/gi,
          { a: twice, b: twice }, [1, [2, { three: 3 }]], new Map([['k', new Set([1, 'two'])]]), new Uint8Array([0, 255]),
          new Float64Array([1.5]), new Uint16Array([1, 2, 3]).subarray(1), new ArrayBuffer(3), { deep: { date: new Date(0) } }];
        values.forEach((value, i) => work.objectStore('bare').put(value, i));
        work.objectStore('bare').put('keyed by a date', new Date(7));
        work.objectStore('bare').put('keyed by bytes', new Uint8Array([1, 2]));
        work.objectStore('keyed').put({ a: 1, b: 'x', list: [1, 2] });
        work.objectStore('counted').put({ plain: { as: ['can', 'be', null] } });
        work.oncomplete = () => { opening.result.close(); resolve(); };
        work.onabort = () => reject(work.error);
      };
    })`);
    await isWhole(context);
    // Here the library's own writing could not be sent.
    await front.evaluate(`new Promise((resolve) => {
      const opening = indexedDB.open('odd');
      opening.onsuccess = () => {
        const circle = { name: 'round', zero: -0 };
        circle.self = circle;
        const work = opening.result.transaction('bare', 'readwrite');
        work.objectStore('bare').put(circle, 'circle');
        work.oncomplete = () => { opening.result.close(); resolve(); };
      };
    })`);
    const storage = JSON.parse(JSON.stringify(await readStorage(context, soon())));
    await context.close();
    const pages = [{ url: at(0), scroll_x: 0, scroll_y: 0, session_storage: {} }];
    const restored = await openContext(chromium, { width: 800, height: 600 }, { storage, pages }, soon());
    const found = await restored.front.evaluate(`new Promise((resolve) => {
      const opening = indexedDB.open('odd');
      opening.onsuccess = () => {
        const read = opening.result.transaction('bare').objectStore('bare').get('circle');
        read.onsuccess = () => resolve([read.result.name, read.result.self === read.result, Object.is(read.result.zero, -0)]);
      };
    })`);
    assert.deepEqual(found, ['round', true, true]);
    await restored.context.close();
  });

  it('is read quickly however many sites were visited, and of a page that hangs as it was', async (t) => {
    const { context, front } = await fresh();
    for (const index of [0, 1, 2]) {
      await front.goto(at(index, '/enter'));
      await front.waitForFunction('document.title === "Entered"');
    }
    await readStorage(context, soon());
    // It opens a page for each site, which is what takes long.
    const readAll = t.mock.method(context, 'storageState');
    const before = await readStorage(context, soon());
    assert.equal(before.origins.length, 3);
    assert.equal(readAll.mock.callCount(), 0, 'only the site on screen is read again');

    front.evaluate('for (;;);').catch(() => undefined);
    assert.deepEqual(await within(soon(3000), readStorage(context, soon())), before);
  });
});
