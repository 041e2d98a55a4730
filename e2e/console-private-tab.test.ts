// A program drives a session; a person takes over in the console, is told that the program can read the page, and works in a
// private tab. `PICTURES=<folder>` keeps what it looks like.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Browser, chromium } from 'playwright-core';
import { launchBrowser, openConsolePage } from '../testkit/console/console-page.ts';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import { until } from '../testkit/until.ts';

const soonMs = 30_000;

describe('a person who drives a session that has a program', () => {
  let installation: Installation;
  let browser: Browser;
  before(async () => {
    [installation, browser] = await Promise.all([openInstallation('private-tab'), launchBrowser()]);
  });
  after(async () => {
    await browser?.close();
    await installation?.close();
  });

  it('is told so before they type, and works where the program sees nothing', async () => {
    const { session } = await installation.client.createSession();
    const { cdp } = await installation.client.openProgramAccess({ id: session.id, while_driven: 'wait' });
    const program = await chromium.connectOverCDP(cdp.ws_url, { timeout: soonMs });
    const context = program.contexts()[0] ?? assert.fail('no context');
    const seen: string[] = [];
    context.on('page', (page) => seen.push(page.url()));
    const page = context.pages()[0] ?? (await context.newPage());
    seen.length = 0;
    await page.goto(installation.shop.url);
    const { page: person, untilDriver } = await openConsolePage(
      browser,
      `${installation.baseUrl}/sessions/${session.id}`,
    );
    await person
      .getByRole('button', { name: /drive|take/i })
      .first()
      .click({ timeout: soonMs });
    await untilDriver(['you'], soonMs);
    await person.getByText('A program is connected: it can read this page').waitFor({ timeout: soonMs });
    if (process.env.PICTURES) await person.screenshot({ path: join(process.env.PICTURES, 'open-to-program.png') });
    await person.getByRole('button', { name: 'Open in a private tab' }).click();
    await person.getByText('Private tab: the program does not see it').waitFor({ timeout: soonMs });
    await until(async () => (await person.getByTestId('tab').count()) === 2, soonMs);
    if (process.env.PICTURES) await person.screenshot({ path: join(process.env.PICTURES, 'private-tab.png') });
    await person
      .getByRole('button', { name: /hand back|give back/i })
      .first()
      .click();
    await until(async () => (await person.getByTestId('tab').count()) === 1, soonMs);
    assert.match(await page.title(), /./);
    assert.deepEqual(seen, [], 'the program was told of no page');
    await program.close();
  });
});
