import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Browser, chromium } from 'playwright-core';
import { startTestServer, type TestServer } from '../../testing/server.ts';

describe('the page of documents', () => {
  let server: TestServer;
  let browser: Browser;
  before(async () => {
    server = await startTestServer({ isAuthDisabled: true });
    // Our own page on loopback: the sandbox, which root cannot have, is not needed.
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium-headless-shell', args: ['--no-sandbox'] });
  });
  after(async () => {
    await browser.close();
    await server.close();
  });

  it('shows the routes, and asks no other host for anything', async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    const elsewhere: string[] = [];
    const refused: string[] = [];
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.protocol.startsWith('http') && url.origin !== server.baseUrl) elsewhere.push(request.url());
    });
    page.on('console', (message) => message.text().includes('Content Security Policy') && refused.push(message.text()));
    await page.goto(`${server.baseUrl}/docs`);
    await page.getByText('Create an empty session').first().waitFor({ timeout: 20_000 });
    await page.getByRole('heading', { name: 'Pilothouse' }).first().waitFor({ timeout: 5000 });
    await page.waitForTimeout(500);
    if (process.env.PICTURE) await page.screenshot({ path: process.env.PICTURE });
    assert.deepEqual(elsewhere, []);
    assert.deepEqual(refused, [], 'nor did it try');
  });

  it('lies in a folder, and is the same each time', async () => {
    const read = async (path: string) => fetch(server.baseUrl + path, { redirect: 'manual' });
    const moved = await read('/docs');
    assert.deepEqual([moved.status, moved.headers.get('location')], [301, '/docs/']);
    const script = await read('/docs/js/scalar.js');
    assert.match(script.headers.get('content-type') ?? '', /^application\/javascript/);
    assert.equal(await script.text(), await (await read('/docs/js/scalar.js')).text());
    assert.equal((await read('/docs/js/other.js')).status, 404);
  });
});
