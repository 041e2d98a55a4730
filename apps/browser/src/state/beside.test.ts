import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { follow } from '../../testing/follow.ts';
import { startDeadline } from '../common/deadline.ts';
import { openBeside } from './beside.ts';
import { watchStorage } from './site-storage.ts';

const viewport = { width: 800, height: 600 };
const soon = () => startDeadline(10_000, new AbortController().signal);
const cookie = (name: string, value: string) => ({ name, value, domain: 'site.test', path: '/', expires: -1 });

describe('a context beside that of a session', () => {
  let browser: Browser;
  before(async () => {
    const executablePath = '/usr/lib/chromium/chromium-headless-shell';
    // Chromium refuses it as root, and the pages here are our own.
    browser = await chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 });
  });
  after(() => browser?.close());

  async function openWith(cookies: ReturnType<typeof cookie>[]) {
    const main = await browser.newContext({ viewport });
    const page = await main.newPage();
    watchStorage(main, []);
    await main.addCookies(cookies);
    const state = { storage: { ...(await main.storageState()) }, pages: [] };
    const openUnseen = () => assert.fail('no site has storage');
    const { context, putBack } = await openBeside({ chromium: { browser }, viewport, main, state, openUnseen }, soon());
    const { cdp, mainFrame } = follow(main, page);
    const reading = { cdp, mainFrame, isMute: () => false, onCut: () => {}, deadline: soon() };
    return { main, context, putBack: () => putBack(reading) };
  }
  const valuesIn = async (context: BrowserContext) =>
    Object.fromEntries((await context.cookies()).map(({ name, value }) => [name, value]));

  it('gives cookies back: those that stayed, changed, came, and not those that went', async () => {
    const { main, context, putBack } = await openWith([cookie('a', 'stays'), cookie('b', 'old'), cookie('c', 'goes')]);
    assert.deepEqual(await valuesIn(context), { a: 'stays', b: 'old', c: 'goes' });
    await context.clearCookies({ name: 'c' });
    await context.addCookies([cookie('b', 'new'), cookie('d', 'comes')]);
    await putBack();
    assert.deepEqual(await valuesIn(main), { a: 'stays', b: 'new', d: 'comes' });
  });

  it('leaves every cookie of the session where one cannot be given back', async () => {
    const { main, context, putBack } = await openWith([cookie('login', 'of the session')]);
    // What Chromium refuses to set, as a newer version or a rule of it may do with what an older one had read.
    context.cookies = async () => [
      { ...cookie('x', 'y'), domain: '', httpOnly: false, secure: true, sameSite: 'None' },
    ];
    context.storageState = async () => ({ cookies: await context.cookies(), origins: [] });
    await assert.rejects(putBack());
    assert.deepEqual(await valuesIn(main), { login: 'of the session' });
  });
});
