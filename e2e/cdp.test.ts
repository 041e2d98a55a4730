import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { type Client, createClient } from '@pilothouse/sdk';
import { type Browser, chromium, type Page } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import { framesDuring } from '../testkit/cdp/frames-during.ts';
import { whenFree } from '../testkit/cdp/when-free.ts';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import { listen } from '../testkit/listen.ts';
import { until } from '../testkit/until.ts';

const password = 'a long password of a test';
const inWords = /a person drives this session \(epoch \d+\)/;

/** A page that counts what is done to it. */
const page = `<!doctype html><title>Desk</title><button onclick="count()">Count</button><label>Name <input id=name></label>
<output id=out>0</output><script>function count() { out.value = Number(out.value) + 1 }</script>`;

const till = '<!doctype html><title>Till</title><form method=post><button>Pay now</button></form>';

describe('a program that drives a session over the DevTools protocol', () => {
  let installation: Installation;
  let desk: Awaited<ReturnType<typeof listen>>;
  let owner: Client;
  let paid = 0;
  let ownerKey: string;
  let strangerKey: string;
  before(async () => {
    desk = await listen(
      createServer(({ url, method }, response) => {
        if (method === 'POST') paid += 1;
        response.setHeader('content-type', 'text/html').end(url === '/till' ? till : page);
      }),
    );
    installation = await openInstallation('cdp', { disableAuth: false, sites: [desk.url] });
    const register = async (username: string) => {
      await installation.client.register({ username, email: `${username}@example.test`, password });
      const { access_token: token } = await installation.client.login({ username_or_email: username, password });
      const client = createClient({ baseUrl: installation.baseUrl, token: () => token });
      return { client, key: (await client.createKey({ label: 'a program' })).key.key_token };
    };
    ({ client: owner, key: ownerKey } = await register('owner'));
    strangerKey = (await register('stranger')).key;
  });
  after(async () => {
    await installation?.close();
    await desk?.close();
  });

  const open = async (whileDriven: 'fail' | 'wait' = 'fail') => {
    const { session } = await owner.createSession();
    const { cdp } = await owner.openProgramAccess({ id: session.id, while_driven: whileDriven });
    return { id: session.id, ...cdp };
  };
  const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });
  /** Until the programs have the wheel: a browser has to be opened for a new session. */
  const firstPage = async (browser: Browser): Promise<Page> => {
    const context = browser.contexts()[0] ?? assert.fail('no context');
    const [first] = context.pages();
    return first ?? (await context.newPage());
  };
  const isDriven = async (id: string) => (await owner.getSession({ id })).snapshot.takeover?.status === 'active';
  /** Takes the wheel for a person, lets them go somewhere, and returns what hands it back. */
  async function takeWheel(id: string) {
    await owner.requestSessionTakeover({ id });
    await until(() => isDriven(id), 10_000);
    return () => owner.resumeSessionTakeover({ id });
  }
  it('is Playwright as it is: fifty acts, watched, with a takeover in the middle', async () => {
    const { id, ws_url } = await open();
    const browser = await chromium.connectOverCDP(ws_url, { timeout: 40_000 });
    await assert.rejects(chromium.connectOverCDP(ws_url, { timeout: 10_000 }), /401/, 'a ticket opens one connection');
    const tab = await whenFree(() => firstPage(browser));
    tab.setDefaultTimeout(10_000);
    const act = async (from: number, to: number) => {
      for (let n = from; n < to; n += 1) {
        await tab.getByRole('button', { name: 'Count' }).click();
        await tab.getByLabel('Name').fill(`name ${n}`);
      }
    };
    const frames = await framesDuring(owner, id, async () => {
      await whenFree(() => tab.goto(desk.url));
      await act(0, 12);
      const giveBack = await takeWheel(id);
      await assert.rejects(tab.getByRole('button', { name: 'Count' }).click(), inWords);
      await assert.rejects(tab.locator('button').count(), inWords);
      await giveBack();
      await whenFree(() => tab.locator('button').count());
      await act(12, 25);
    });
    assert.equal(await tab.locator('output').textContent(), '25');
    assert.equal(await tab.getByLabel('Name').inputValue(), 'name 24');
    assert.equal(await tab.title(), 'Desk');
    assert.ok(frames > 3, `${frames} frames`);
    await browser.close();
  });

  it('is Puppeteer as it is, and goes on after a person has driven', async () => {
    const { id, ws_url } = await open();
    const browser = await puppeteer.connect({ browserWSEndpoint: ws_url, defaultViewport: null });
    const tab = await whenFree(async () => (await browser.pages())[0] ?? (await browser.newPage()));
    await whenFree(() => tab.goto(desk.url));
    for (let n = 0; n < 25; n += 1) {
      await tab.click('button');
      await tab.type('#name', 'x');
    }
    const giveBack = await takeWheel(id);
    await assert.rejects(tab.click('button'), inWords);
    await giveBack();
    await whenFree(() => tab.click('button'));
    assert.equal(await tab.$eval('output', (out) => out.textContent), '26');
    assert.equal(await tab.title(), 'Desk');
    await browser.disconnect();
  });

  it('may ask for the version first and send its key with each request, again and again', async () => {
    const { http_url } = await open();
    for (let round = 0; round < 2; round += 1) {
      const browser = await chromium.connectOverCDP(http_url, { timeout: 40_000, ...bearer(ownerKey) });
      const tab = await whenFree(() => firstPage(browser));
      await whenFree(() => tab.goto(desk.url));
      assert.equal(await tab.title(), 'Desk');
      await browser.close();
    }
  });

  it('is refused where it is a stranger, a page of another origin, or has no ticket', async () => {
    const { http_url, ws_url, id } = await open();
    const upgrade = async (url: string, headers: Record<string, string>) => {
      const socket = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
      const { request } = await import('node:http');
      const answer = Promise.withResolvers<number>();
      const key = { 'sec-websocket-key': Buffer.from('0123456789abcdef').toString('base64') };
      request(url.replace(/^ws/, 'http'), { headers: { ...socket, ...key, ...headers } })
        .on('response', (response) => answer.resolve(response.statusCode ?? 0))
        .on('upgrade', (_, opened) => {
          opened.destroy();
          answer.resolve(101);
        })
        .on('error', answer.reject)
        .end();
      return answer.promise;
    };
    const authorization = `Bearer ${ownerKey}`;
    assert.equal(await upgrade(http_url, {}), 401);
    assert.equal(await upgrade(http_url, { authorization: `Bearer ${strangerKey}` }), 404);
    assert.equal(await upgrade(http_url, { authorization, origin: 'https://evil.example' }), 403);
    assert.equal(await upgrade(ws_url, { origin: 'https://evil.example' }), 403);
    assert.equal(await upgrade(http_url.replace(id, 'x'), { authorization }), 404);
    assert.equal(await upgrade(ws_url, {}), 101, 'what was refused has not used up the ticket');
    assert.equal(await upgrade(ws_url, {}), 401);
    assert.equal((await fetch(`${http_url}/json/version`, bearer(strangerKey))).status, 404);
  });

  it('is cut off when its key is revoked', async () => {
    const { key } = await owner.createKey({ label: 'to be revoked' });
    const { http_url } = await open();
    const browser = await chromium.connectOverCDP(http_url, { timeout: 40_000, ...bearer(key.key_token) });
    const gone = new Promise<void>((resolve) => browser.once('disconnected', () => resolve()));
    const at = performance.now();
    await owner.deleteKey({ id: key.id });
    await gone;
    const tookMs = performance.now() - at;
    assert.ok(tookMs < 1500, `${tookMs} ms`);
  });

  it('is held to the policy of its user, unless a person wrote what it does', async () => {
    const { session } = await owner.createSession();
    const connect = async (stepsBy: 'person' | 'program') => {
      const { cdp } = await owner.openProgramAccess({ id: session.id, steps_by: stepsBy });
      const browser = await chromium.connectOverCDP(cdp.ws_url, { timeout: 40_000 });
      const tab = await whenFree(() => firstPage(browser));
      tab.setDefaultTimeout(10_000);
      await whenFree(() => tab.goto(`${desk.url}/till`));
      return { browser, pay: () => tab.getByRole('button', { name: 'Pay now' }).click() };
    };
    const program = await connect('program');
    await assert.rejects(program.pay(), /A person has to say yes.*take the wheel/s);
    assert.equal(paid, 0);
    await program.browser.close();
    const script = await connect('person');
    await script.pay();
    await until(() => paid === 1, 10_000);
    await owner.setPolicy({ mode: 'careful' });
    await until(async () => {
      const before = paid;
      const refused = await script.pay().then(
        () => undefined,
        (error: Error) => error.message,
      );
      return refused !== undefined && /has to say yes/.test(refused) && paid === before;
    }, 15_000);
    await owner.setPolicy({});
    const { tasks } = await owner.listTasks({ session_id: session.id });
    const logs = await Promise.all(tasks.map(({ id }) => owner.listExecutions({ id })));
    assert.match(JSON.stringify(logs), /has to say yes/, 'the refusal is a line of the timeline');
    await script.browser.close();
  });

  it('finds its pages at the same address when the server or the host was killed', async () => {
    const { http_url } = await open();
    const connect = () => chromium.connectOverCDP(http_url, { timeout: 40_000, ...bearer(ownerKey) });
    let browser = await connect();
    const tab = await whenFree(() => firstPage(browser));
    await whenFree(() => tab.goto(desk.url));
    for (const part of ['server-1', 'browser-1']) {
      const gone = new Promise<void>((resolve) => browser.once('disconnected', () => resolve()));
      await installation.stack.kill(part);
      await gone;
      await installation.stack.start(part);
      const again = async () => {
        browser = await connect();
        const [found] = browser.contexts()[0]?.pages() ?? [];
        return found !== undefined;
      };
      await until(() => again().catch(() => false), 60_000);
      const found = await whenFree(() => firstPage(browser));
      assert.equal(await whenFree(() => found.evaluate('document.title')), 'Desk', part);
    }
    await browser.close();
  });
});
