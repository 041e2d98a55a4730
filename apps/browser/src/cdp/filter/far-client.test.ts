import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext, Page } from 'playwright-core';
import { connectThroughDoor, contextIdOf } from '../../../testing/doors.ts';
import { type SharedChromium, startSharedChromium } from '../../../testing/guests.ts';
import { type Site, startSite } from '../../../testing/site.ts';
import { soon } from '../../../testing/stage.ts';

const person = { epoch: 2, by: 'person' } as const;
const inWords = /a person drives this session \(epoch 2\)/;
/** As far as a program in another part of the world. */
const awayMs = 40;

describe('a guest that is far away', () => {
  let chromium: SharedChromium;
  let site: Site;
  let context: BrowserContext;
  let own: Page;
  before(async () => {
    [chromium, site] = await Promise.all([startSharedChromium(34_600), startSite()]);
    context = await chromium.browser.newContext({ viewport: { width: 900, height: 600 } });
    own = await context.newPage();
    await own.goto(`${site.url}/form`);
  });
  after(async () => {
    await chromium?.end();
    await site?.close();
  });

  it('gets no wrong answer, however often it asks, where others load the page again while they drive', async () => {
    const { browser, door, close } = await connectThroughDoor(chromium, await contextIdOf(context), { awayMs });
    const [page] = browser.contexts()[0]?.pages() ?? [];
    assert.ok(page);
    const buttons = await own.locator('button').count();
    const wrong: unknown[] = [];
    let isOver = false;
    const repeat = async (read: () => Promise<unknown>, expected: unknown) => {
      while (!isOver) {
        const found = await read().catch((error: unknown) => (inWords.test(String(error)) ? expected : error));
        if (found !== expected) wrong.push(found);
      }
    };
    const reading = [repeat(() => page.locator('button').count(), buttons), repeat(() => page.title(), 'Form')];
    for (let round = 0; round < 10; round += 1) {
      await door.fence(person, soon(2000));
      await own.goto(`${site.url}/form`);
      // The client has heard of it, or has not.
      await sleep(round * 12);
      await door.release(3, soon(2000));
      await sleep(round * 12);
    }
    isOver = true;
    await Promise.all(reading);
    assert.deepEqual(wrong, []);
    await close();
  });
});
