import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Bus,
  connectBus,
  createProgramLink,
  type ProgramLink,
  type ProgramReport,
  type ProgramRules,
  programIn,
  programOpen,
  programOut,
} from '@pilothouse/bus';
import { type NatsForTest, startNats } from '@pilothouse/bus/testing';
import { type ConnectOverCDPTransport, chromium, type Page } from 'playwright-core';
import { listen } from '../../../../testkit/listen.ts';
import { until } from '../../../../testkit/until.ts';
import { drive, type HostForTest, startHost } from '../../testing/host.ts';
import { handledLater } from '../common/best-effort.ts';
import { newId } from '../common/id.ts';

const rules = (more: Partial<ProgramRules['rules']> = {}, isGiven = false): ProgramRules => ({
  rules: { mode: 'standard', allow: [], deny: [], read_only: [], watch: [], ...more },
  is_given: isGiven,
  is_watched: false,
});

const shop = (frame: string) => `<!doctype html><title>Shop</title>
<p>Total £12.00</p><button id=more onclick="this.textContent = 'Less'">Read more</button>
<form method=post action=/pay><input name=note aria-label=Note><button id=pay>Pay now</button></form>
<x-shade></x-shade><script>document.querySelector('x-shade').attachShadow({ mode: 'open' }).innerHTML =
  '<button onclick="fetch(\\'/pay\\', { method: \\'POST\\' })">Delete account</button>'</script>
<iframe id=inner src="${frame}" style="display:block;width:300px;height:120px"></iframe>`;
const inner = `<!doctype html><form method=post action=/pay><button id=inpay>Confirm payment</button></form>
<button id=next onclick="this.textContent = 'Seen'">Next picture</button>`;

describe('rules for the acts of a program', () => {
  let nats: NatsForTest;
  let server: Bus;
  let host: HostForTest;
  let site: Awaited<ReturnType<typeof listen>>;
  const posts: string[] = [];
  const requests: string[] = [];
  before(async () => {
    nats = await startNats({ hosts: ['h1'] });
    server = await connectBus(nats.as('server'));
    host = await startHost(nats, 'h1');
    site = await listen(
      createServer((request, response) => {
        requests.push(request.url ?? '');
        if (request.method === 'POST') posts.push(request.url ?? '');
        const frame = `http://127.0.0.1:${new URL(site.url).port}/inner`;
        const page = request.url?.startsWith('/inner') ? inner : shop(frame);
        response.setHeader('content-type', 'text/html').end(page);
      }),
    );
  });
  after(async () => {
    await server?.close();
    await host?.close();
    await site?.close();
    await nats?.close();
  });
  const shopUrl = () => `http://localhost:${new URL(site.url).port}/`;

  async function connect(given: ProgramRules) {
    const session = drive(server, 'h1');
    await session.open();
    await session.act({ action: 'navigate', url: shopUrl() });
    assert.ok((await session.tell({ type: 'take', epoch: 2, is_program: true })).head.ok);
    const at = { host_id: 'h1', session_id: session.sessionId, connection_id: newId() };
    const reports: ProgramReport[] = [];
    const transport: ConnectOverCDPTransport = {
      send: (message) => link.send(JSON.stringify(message)),
      close: async () => link.end('done'),
    };
    const link: ProgramLink = createProgramLink({
      publish: (piece) => server.publish(programIn, at, piece).ok,
      onMessage: (text) => setImmediate(() => transport.onmessage?.(JSON.parse(text))),
      onReport: (report) => reports.push(report),
      onEnd: () => transport.onclose?.('it ended'),
      maxMessageBytes: 64 * 1024 * 1024,
    });
    await server.subscribe(programOut, at, link.take).ready({ timeoutMs: 5000 });
    const request = { connection_id: at.connection_id, while_driven: 'fail', reports: true, rules: given } as const;
    const opened = await server.request(programOpen, at, request, { timeoutMs: 10_000 });
    assert.ok(opened.ok && opened.reply.ok && opened.reply.judges, JSON.stringify(opened));
    const browser = await chromium.connectOverCDP(transport, { timeout: 20_000 });
    const page = browser.contexts()[0]?.pages()[0] ?? assert.fail('no page');
    page.setDefaultTimeout(15_000);
    const close = async () => {
      await browser.close();
      // A newer driver than any of a test.
      await session.closeSession(9);
    };
    return { session, page, link, reports, close };
  }
  const frameOf = (page: Page) => page.frameLocator('#inner');

  it('refuse what a person has to agree to, wherever it is, and nothing else', async () => {
    const { page, reports, close } = await connect(rules());
    const before = posts.length;
    await page.click('#more');
    assert.equal(await page.textContent('#more'), 'Less');
    await page.fill('[name=note]', 'as soon as possible');
    // Each with its own reason, and not with that of the one before.
    const asked = /has to say yes, because the words on it.*take the wheel/s;
    await assert.rejects(page.click('#pay'), asked);
    await assert.rejects(page.press('[name=note]', 'Enter'), /because it sends a form whose button commits/);
    await page.focus('#pay');
    await assert.rejects(page.keyboard.press('Space'), asked);
    await page.click('#more');
    await assert.rejects(page.getByRole('button', { name: 'Delete account' }).click(), asked);
    await assert.rejects(frameOf(page).locator('#inpay').click(), asked);
    await frameOf(page).locator('#next').click();
    assert.equal(await frameOf(page).locator('#next').textContent(), 'Seen');
    assert.equal(posts.length, before, 'nothing was sent');
    await until(() => reports.flatMap(({ acts }) => acts).some((act) => act.outcome === 'refused'), 10_000);
    const refused = reports.flatMap(({ acts }) => acts).filter((act) => act.outcome === 'refused');
    assert.match(refused[0]?.error ?? '', /has to say yes/);
    await close();
  });

  it('are needed no more by a program that left: nothing of it goes on while its last acts are told', async () => {
    const { page, link, reports, close } = await connect(rules({}, true));
    await page.evaluate('setTimeout(() => { for (const end = Date.now() + 1500; Date.now() < end; ); }, 0) && 0');
    // It has no answer while the page is busy.
    handledLater(page.mouse.click(5, 5));
    await sleep(100);
    link.leave();
    const params = { url: `${shopUrl()}late` };
    link.send(JSON.stringify({ id: 1_000_000, method: 'Target.createTarget', params }));
    await until(() => page.isClosed() || !page.context().browser()?.isConnected(), 10_000);
    await sleep(300);
    assert.ok(!requests.includes('/late'));
    assert.ok(reports.flatMap(({ acts }) => acts).length > 0, 'what it did is told');
    await close();
  });

  it('ask nothing of a script that a person wrote, until they become stricter', async () => {
    const { page, link, close } = await connect(rules({}, true));
    const before = posts.length;
    await page.click('#pay');
    await until(() => posts.length === before + 1, 10_000);
    await page.goto(shopUrl());
    link.setRules(rules({ mode: 'careful' }, true));
    await assert.rejects(page.click('#pay'), /has to say yes/);
    link.setRules(rules({ read_only: ['localhost'] }, true));
    await assert.rejects(page.click('#pay'), /may only be read/);
    assert.equal(posts.length, before + 1);
    await close();
  });

  it('keep a program from hosts that are refused', async () => {
    const { page, session, close } = await connect(rules({ deny: ['127.0.0.1'] }, true));
    await assert.rejects(page.goto(`http://127.0.0.1:${new URL(site.url).port}/`), /list of hosts that are refused/);
    await assert.rejects(frameOf(page).locator('#next').click(), /list of hosts that are refused/);
    await page.click('#more');
    const there = `http://127.0.0.1:${new URL(site.url).port}/inner`;
    await page.evaluate(`fetch('${there}?by=script', { mode: 'no-cors' }).catch(() => undefined)`);
    assert.ok(!requests.includes('/inner?by=script'), 'scripts of the program are held to it too');
    assert.ok((await session.tell({ type: 'take', epoch: 3, is_person: true })).head.ok);
    const from = requests.length;
    const url = `${there}?by=person`;
    await session.tell({ type: 'input', epoch: 3, inputs: [{ seq: 1, input: { action: 'new_page', url } }] });
    await until(() => requests.slice(from).includes('/inner?by=person'), 10_000);
    await close();
  });

  it('are those of the dialog that is answered, and of no other', async () => {
    const { page, close } = await connect(rules());
    const other = await page.context().newPage();
    await other.goto(shopUrl());
    // Who listens answers by itself.
    other.on('dialog', () => {});
    const [here, there] = await Promise.all([page, other].map((one) => one.context().newCDPSession(one)));
    const answer = async (session = there, accept = true) =>
      session?.send('Page.handleJavaScriptDialog', { accept }).then(
        () => 'done',
        (error: Error) => error.message,
      );
    const asked = other.waitForEvent('dialog');
    // The second opens as soon as the first is answered.
    const questions = "window.said = [confirm('Show more?'), confirm('Pay £500?')]";
    await other.evaluate(`setTimeout(() => { ${questions} }, 0)`);
    assert.equal((await asked).message(), 'Show more?');
    assert.match((await answer(here)) ?? '', /asks nothing/, 'in the session of another page');
    const both = await Promise.all([answer(), answer()]);
    assert.equal(both.filter((one) => one === 'done').length, 1, both.join());
    await until(async () => /has to say yes/.test((await answer()) ?? ''), 10_000);
    assert.equal(await answer(there, false), 'done');
    assert.deepEqual(await other.evaluate('window.said'), [true, false]);
    await close();
  });

  it('do not hold up a person who takes over while an act is judged', async () => {
    const { page, session, close } = await connect(rules());
    const before = posts.length;
    const guest = await page.context().newCDPSession(page);
    const busyMs = 2000;
    const begun = performance.now();
    // Without a move before it, which would wait for the page instead.
    await page.evaluate(`setTimeout(() => { const end = Date.now() + ${busyMs}; while (Date.now() < end); }, 0)`);
    const press = { type: 'mousePressed', x: 30, y: 30, button: 'left', clickCount: 1 } as const;
    const pressed = guest.send('Input.dispatchMouseEvent', press).then(
      () => 'done',
      (error: Error) => error.message,
    );
    assert.ok((await session.tell({ type: 'take', epoch: 3, is_person: true })).head.ok);
    assert.match(await pressed, /a person drives this session/);
    const ms = performance.now() - begun;
    assert.ok(ms < busyMs, `told ${ms} ms after a page that is busy for ${busyMs} ms was asked`);
    assert.equal(posts.length, before);
    await close();
  });
});
