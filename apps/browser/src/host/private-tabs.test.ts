import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import {
  type Bus,
  connectBus,
  createProgramLink,
  type Input,
  programIn,
  programOpen,
  programOut,
} from '@pilothouse/bus';
import { type NatsForTest, startNats } from '@pilothouse/bus/testing';
import { type Browser, type ConnectOverCDPTransport, chromium, type Page } from 'playwright-core';
import { until } from '../../../../testkit/until.ts';
import { drive, type HostForTest, startHost } from '../../testing/host.ts';
import { newId } from '../common/id.ts';

const canaries = (round: number) =>
  Array.from({ length: 250 }, (_, index) => `canary-${round}-${String(index).padStart(3, '0')}-`);

/** A site that tells everything to everybody: its worker and its channel pass on what pages send and what is typed. */
const worker = `
  addEventListener('install', () => skipWaiting());
  addEventListener('activate', (event) => event.waitUntil(clients.claim()));
  addEventListener('fetch', (event) => {
    event.waitUntil(event.request.clone().text().then(async (text) => {
      for (const client of await clients.matchAll({ includeUncontrolled: true })) client.postMessage(text);
    }));
  });`;
const form = `<!doctype html><title>Sign in</title><form method="post" action="/login">
  <input name="user" autofocus style="position:absolute;left:0;top:0;width:300px;height:60px">
  <button style="position:absolute;left:0;top:100px;width:300px;height:60px">Sign in</button></form>
  <script>
    addEventListener('load', () => fetch('/loaded'));
    const channel = new BroadcastChannel('typed');
    addEventListener('input', (event) => channel.postMessage(event.target.value));
  </script>`;

function startLoginSite() {
  const logins: string[] = [];
  const loaded: string[] = [];
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/worker.js') {
      response.setHeader('content-type', 'text/javascript').end(worker);
    } else if (request.url === '/loaded') {
      loaded.push(request.url);
      response.end();
    } else if (request.method === 'POST') {
      const body = Buffer.concat(await request.toArray()).toString();
      logins.push(new URLSearchParams(body).get('user') ?? '');
      response.setHeader('set-cookie', 'login=token-of-the-login; HttpOnly; Path=/');
      response
        .setHeader('content-type', 'text/html')
        .end('<title>Welcome</title><script>localStorage.who = "token-of-the-page"</script>');
    } else response.setHeader('content-type', 'text/html').end(form);
  }
  const server = createServer((request, response) => void answer(request, response));
  return { server, logins, loaded };
}

describe('a private tab of a person', () => {
  let nats: NatsForTest;
  let server: Bus;
  let host: HostForTest;
  const site = startLoginSite();
  let url = '';
  before(async () => {
    nats = await startNats({ hosts: ['h1'] });
    server = await connectBus(nats.as('server'));
    host = await startHost(nats, 'h1');
    await once(site.server.listen(0, '127.0.0.1'), 'listening');
    url = `http://localhost:${(site.server.address() as AddressInfo).port}`;
  });
  after(async () => {
    await server?.close();
    await host?.close();
    await nats?.close();
    site.server.closeAllConnections();
    site.server.close();
  });

  /** A program with everything on that could hear something, and every byte that it was sent. */
  async function connect(sessionId: string) {
    const heard: string[] = [];
    const at = { host_id: 'h1', session_id: sessionId, connection_id: newId() };
    const transport: ConnectOverCDPTransport = {
      send: (message) => link.send(JSON.stringify(message)),
      close: async () => link.end('done'),
    };
    const link = createProgramLink({
      publish: (piece) => server.publish(programIn, at, piece).ok,
      onMessage(text) {
        heard.push(text);
        setImmediate(() => transport.onmessage?.(JSON.parse(text)));
      },
      onEnd: () => transport.onclose?.('it ended'),
      maxMessageBytes: 64 * 1024 * 1024,
    });
    const output = server.subscribe(programOut, at, link.take);
    await output.ready({ timeoutMs: 5000 });
    const request = { connection_id: at.connection_id, while_driven: 'fail' } as const;
    const opened = await server.request(programOpen, at, request, { timeoutMs: 10_000 });
    assert.ok(opened.ok && opened.reply.ok, JSON.stringify(opened));
    const browser = await chromium.connectOverCDP(transport, { timeout: 20_000 });
    const page = browser.contexts()[0]?.pages()[0];
    assert.ok(page);
    return { browser, page, heard };
  }

  async function spyIn(page: Page): Promise<void> {
    const cdp = await page.context().newCDPSession(page);
    for (const method of ['Network.enable', 'DOM.enable', 'Log.enable', 'DOMStorage.enable'] as const)
      await cdp.send(method);
    await page.exposeFunction('tellProgram', () => undefined);
    await page.evaluate(`(async () => {
      window.heard = [];
      const tell = (what) => (console.log(what), tellProgram(String(what)), heard.push(String(what)));
      for (const kind of ['keydown', 'input', 'paste', 'focusin']) addEventListener(kind, (event) => tell(event.key ?? event.data ?? kind), true);
      addEventListener('storage', (event) => tell(event.key + event.newValue));
      new BroadcastChannel('typed').onmessage = (event) => tell(event.data);
      navigator.serviceWorker.onmessage = (event) => tell(event.data);
      await navigator.serviceWorker.register('/worker.js');
      await navigator.serviceWorker.ready;
      setInterval(() => tell(document.cookie), 100);
    })()`);
  }

  /** What the program can find out when it drives again. */
  async function readAll(browser: Browser, page: Page): Promise<string> {
    await page.evaluate('1');
    const context = page.context();
    const cdp = await browser.newBrowserCDPSession();
    const targets = await cdp.send('Target.getTargets');
    const found = [await context.storageState({ indexedDB: true }), targets, context.pages().map((one) => one.url())];
    const history = await context.newCDPSession(page).then((one) => one.send('Page.getNavigationHistory'));
    const inPage = await page.evaluate(
      'JSON.stringify([heard, document.cookie, { ...localStorage }, document.documentElement.outerHTML])',
    );
    return JSON.stringify([...found, history, inPage]);
  }

  it('is not what an ordinary tab is: there the program hears what is typed', async () => {
    const session = drive(server, 'h1');
    await session.open();
    await session.act({ action: 'navigate', url });
    await session.tell({ type: 'take', epoch: 2, is_program: true });
    const { browser, page } = await connect(session.sessionId);
    await spyIn(page);
    await session.tell({ type: 'take', epoch: 3, is_person: true });
    const loaded = site.loaded.length;
    const say = (seq: number, input: Input) => session.tell({ type: 'input', epoch: 3, inputs: [{ seq, input }] });
    await say(1, { action: 'new_page', url });
    await until(() => site.loaded.length > loaded, 10_000);
    await say(2, { action: 'click', x: 20, y: 20, button: 'left', modifiers: [] });
    await say(3, { action: 'type', text: 'canary-of-the-ordinary-tab' });
    await session.tell({ type: 'take', epoch: 4, is_program: true });
    assert.match(await readAll(browser, page), /canary-of-the-ordinary-tab/);
    await browser.close();
    await session.closeSession();
  });

  for (const [round, keep] of [true, false].entries())
    it(`is not seen by the program, and ${keep ? 'leaves it logged in' : 'leaves it nothing, not even cookies'}`, async () => {
      const session = drive(server, 'h1');
      await session.open();
      await session.act({ action: 'navigate', url });
      assert.ok((await session.tell({ type: 'take', epoch: 2, is_program: true })).head.ok);
      const { browser, page, heard } = await connect(session.sessionId);
      await spyIn(page);
      assert.ok((await session.tell({ type: 'take', epoch: 3, is_person: true })).head.ok);
      let seq = 0;
      const say = async (input: Input) => {
        seq += 1;
        const { head } = await session.tell({ type: 'input', epoch: 3, inputs: [{ seq, input }] });
        assert.ok(head.ok, JSON.stringify(head));
      };
      const before = heard.length;
      const loaded = site.loaded.length;
      const logins = site.logins.length;
      await say({ action: 'new_private_page', url, keep });
      await until(() => site.loaded.length > loaded, 10_000);
      const at = { x: 20, y: 20, button: 'left' as const, modifiers: [] };
      await say({ action: 'click', ...at });
      const typed = canaries(round);
      // Some at a time, as a paste or a quick hand would.
      for (let next = 0; next < typed.length; next += 10)
        await say({ action: 'type', text: typed.slice(next, next + 10).join('') });
      await say({ action: 'click', ...at, y: 120 });
      await until(() => site.logins.length === logins + 1, 10_000);
      assert.ok(site.logins.at(-1) === typed.join(''), 'the person typed all of it');
      const view = await session.tell({ type: 'view', known: null, wait_ms: 0 });
      assert.ok(view.head.ok && view.head.type === 'view');
      assert.deepEqual(
        view.head.view.pages.map(({ private_tab, open_to_program }) => [private_tab, open_to_program]),
        [
          [undefined, true],
          [true, undefined],
        ],
      );
      assert.ok((await session.tell({ type: 'take', epoch: 4, is_program: true })).head.ok);
      const read = await readAll(browser, page);
      const all = [...heard.slice(before), read].join('\n');
      const seen = typed.filter((one) => all.includes(one.slice(0, -1)));
      assert.deepEqual(seen, [], 'no canary reached the program');
      assert.equal(all.includes('token-of-the-login'), keep);
      assert.equal(all.includes('token-of-the-page'), keep);
      assert.equal(browser.contexts()[0]?.pages().length, 1);
      await page.goto(url);
      await browser.close();
      await session.closeSession();
    });
});
