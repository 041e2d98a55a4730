import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Client as McpClient } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Client } from '@pilothouse/sdk';
import { hasForeignClients, playwrightMcp, startStagehand } from '../testkit/cdp/foreign-clients.ts';
import { framesDuring } from '../testkit/cdp/frames-during.ts';
import { attachToPage, connectRaw, evaluate } from '../testkit/cdp/raw-client.ts';
import { whenFree } from '../testkit/cdp/when-free.ts';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import { listen } from '../testkit/listen.ts';
import { until } from '../testkit/until.ts';

const inWords = /a person drives this session \(epoch \d+\)/;
const skip = hasForeignClients() ? false : 'scripts/foreign-clients was not run';

/** A page that counts what is done to it, for anybody who asks its site. */
const page = `<!doctype html><title>Desk</title><button onclick="count()">Count</button><label>Name <input id=name></label>
<output id=out>0</output><script>function count() { out.value = Number(out.value) + 1 }</script>`;

const state = '[out.value, document.querySelector("#name").value, document.title].join(" ")';

/** What a client does: 25 clicks and 25 fillings are its 50 acts. */
type Acts = {
  click(): Promise<unknown>;
  fill(text: string): Promise<unknown>;
  done(): Promise<string>;
  /** An act whose refusal the client shows as it is. */
  refused?(): Promise<unknown>;
};

describe('a program of another maker, unmodified', () => {
  let installation: Installation;
  let owner: Client;
  let desk: Awaited<ReturnType<typeof listen>>;
  before(async () => {
    desk = await listen(createServer((_, response) => response.setHeader('content-type', 'text/html').end(page)));
    installation = await openInstallation('cdp-clients', { sites: [desk.url] });
    owner = installation.client;
  });
  after(async () => {
    await installation?.close();
    await desk?.close();
  });

  const open = async () => {
    const { session } = await owner.createSession();
    const { cdp } = await owner.openProgramAccess({ id: session.id });
    // An agent opens its browser meanwhile.
    return { id: session.id, ...cdp };
  };

  /** Fifty acts, watched, with a takeover in the middle that is refused in words. */
  async function act(id: string, { click, fill, done, refused = click }: Acts): Promise<void> {
    const frames = await framesDuring(owner, id, async () => {
      for (let n = 0; n < 25; n += 1) {
        await whenFree(click);
        await whenFree(() => fill(`name ${n}`));
        if (n !== 12) continue;
        const { takeover } = await owner.requestSessionTakeover({ id });
        if (takeover.status !== 'active')
          await until(async () => (await owner.getSession({ id })).snapshot.takeover?.status === 'active', 10_000);
        await assert.rejects(click());
        await assert.rejects(refused(), inWords);
        await owner.resumeSessionTakeover({ id });
        if (refused !== click) await whenFree(refused);
      }
      assert.equal(await done(), '25 name 24 Desk');
    });
    assert.ok(frames > 3, `${frames} frames`);
  }

  it('is a client that speaks the protocol itself', async (t) => {
    const { id, ws_url } = await open();
    const client = await connectRaw(ws_url);
    t.after(() => client.close());
    const { sessionId } = await whenFree(() => attachToPage(client));
    const run = (expression: string) => evaluate(client, sessionId, expression);
    await whenFree(() => client.send('Page.navigate', { url: desk.url }, sessionId));
    await until(async () => (await run('document.querySelector("output") !== null')) === true, 10_000);
    await act(id, {
      async click() {
        const box = `JSON.stringify(document.querySelector('button').getBoundingClientRect())`;
        const { x, y } = JSON.parse(String(await run(box)));
        const at = { x: x + 5, y: y + 5, button: 'left', clickCount: 1 };
        for (const type of ['mousePressed', 'mouseReleased'])
          await client.send('Input.dispatchMouseEvent', { type, ...at }, sessionId);
      },
      async fill(text) {
        await run(`document.querySelector('#name').select()`);
        await client.send('Input.insertText', { text }, sessionId);
      },
      done: async () => String(await run(state)),
    });
  });

  it('is Stagehand, driven by its own page', { skip }, async (t) => {
    const { id, ws_url } = await open();
    const stagehand = await startStagehand(ws_url);
    t.after(() => stagehand.close());
    const tab = stagehand.context.pages()[0];
    assert.ok(tab);
    await whenFree(() => tab.goto(desk.url));
    await act(id, {
      click: () => tab.locator('button').click(),
      fill: (text) => tab.locator('#name').fill(text),
      async done() {
        assert.equal(await tab.locator('button').count(), 1);
        return `${await tab.locator('output').textContent()} ${await tab.locator('#name').inputValue()} ${await tab.title()}`;
      },
    });
  });

  it('is the MCP server of Playwright, at the address of a session', { skip }, async (t) => {
    const { id, ws_url } = await open();
    // It keeps what it writes where it is started.
    const cwd = await mkdtemp(join(tmpdir(), 'pilothouse-mcp-'));
    t.after(() => rm(cwd, { recursive: true, force: true }));
    const client = new McpClient({ name: 'test', version: '1' });
    const args = [playwrightMcp, '--cdp-endpoint', ws_url];
    t.after(() => client.close());
    await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd }));
    const call = async (name: string, given: object) => {
      const result = await client.callTool({ name, arguments: { ...given } }, { timeout: 60_000 });
      const text = result.content.map((one) => (one.type === 'text' ? one.text : '')).join('\n');
      if (result.isError) throw new Error(text);
      return text;
    };
    await whenFree(() => call('browser_navigate', { url: desk.url }));
    const snapshot = await call('browser_snapshot', {});
    const refOf = (what: RegExp) =>
      new RegExp(`${what.source}.*?\\[ref=(\\w+)\\]`).exec(snapshot)?.[1] ?? assert.fail(snapshot);
    const [button, name] = [refOf(/button "Count"/), refOf(/textbox "Name"/)];
    await act(id, {
      click: () => call('browser_click', { element: 'Count', target: button }),
      fill: (text) => call('browser_type', { element: 'Name', target: name, text }),
      // Of a click that is refused it says that the element is gone.
      refused: () => call('browser_press_key', { key: 'Shift' }),
      async done() {
        return /"(25 [^"]*)"/.exec(await call('browser_evaluate', { function: `() => ${state}` }))?.[1] ?? 'nothing';
      },
    });
  });
});
