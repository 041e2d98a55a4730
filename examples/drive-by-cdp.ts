// Drives the browser of a session with Playwright, while people watch it: npm install playwright-core.
import { createClient } from '@pilothouse/sdk';
import { chromium } from 'playwright-core';
import { shopUrl, token, url } from './settings.ts';

const client = createClient({ baseUrl: url, token });
const { session } = await client.createSession({ title: 'Driven by Playwright' });

// The address opens one connection, within a minute.
const { cdp } = await client.openProgramAccess({ id: session.id });
const browser = await chromium.connectOverCDP(cdp.ws_url);
const page = browser.contexts()[0]?.pages()[0];
if (!page) throw new Error('the session has no page');
await page.goto(`${shopUrl}?q=lantern`);
await page.getByRole('button', { name: 'Add Brass lantern to basket' }).click();
console.log(`the page is now: ${await page.title()}`);
await browser.close();
await client.deleteSession({ id: session.id });
