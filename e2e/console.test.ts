import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createLogin } from '@pilothouse/sdk';
import type { Browser, BrowserContext, Page, Request } from 'playwright-core';
import { launchBrowser } from '../testkit/console/console-page.ts';
import { looksWell } from '../testkit/console/looks-well.ts';
import { type Installation, openInstallation } from '../testkit/installation.ts';

/** Wide enough for a machine that is busy with other tests. */
const soon = { timeout: 15_000 };
const first = 'a harbour at night 17';
/** The person changes it. */
const password = 'a lighthouse by day 18';

describe('the console', () => {
  let installation: Installation;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  const faults: string[] = [];
  before(async () => {
    installation = await openInstallation('console', { disableAuth: false });
    browser = await launchBrowser();
    context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    page = await context.newPage();
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => {
      if (/Content Security Policy/i.test(message.text())) faults.push(message.text());
    });
  });
  after(async () => {
    await browser?.close();
    await installation?.close();
  });

  const isHome = () => page.getByRole('heading', { name: 'What should be done?' }).waitFor(soon);

  /** As from another computer. */
  async function endAllLogins(): Promise<void> {
    const elsewhere = createLogin({ baseUrl: installation.baseUrl });
    await elsewhere.login({ username_or_email: 'ada', password });
    await elsewhere.client.logoutAll();
    await elsewhere.close();
  }

  it('asks for a login, and registers a person who comes for the first time', async () => {
    await page.goto(`${installation.baseUrl}/sessions`);
    await page.getByRole('button', { name: 'Log in' }).waitFor(soon);
    await looksWell(page, 'login');
    await page.getByRole('link', { name: 'Register' }).click();
    await page.getByLabel('Name', { exact: true }).fill('ada');
    await page.getByLabel('E-mail').fill('ada@example.com');
    await page.getByLabel('Password', { exact: true }).fill('short');
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByText('Must have at least 8 characters.').waitFor(soon);
    await page.getByLabel('Password', { exact: true }).fill(first);
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor(soon);
  });

  it('points at the line that cannot be read, runs the script, and shows its session', async () => {
    await page.getByRole('link', { name: 'Home' }).first().click();
    await isHome();
    const script = page.getByLabel('Script, one instruction a line');
    await script.fill(`open ${installation.shop.url}/\ndance`);
    await page.getByRole('button', { name: /^Run/ }).click();
    await page.getByRole('button', { name: 'Line 2' }).click(soon);
    // The last line is written again by keys, as a person does it.
    await page.keyboard.press('Shift+End');
    await page.keyboard.type('type "lantern" into "Search"');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await page.keyboard.type('click "Find"');
    await page.keyboard.press('Control+Enter');
    await page.waitForURL(/\/sessions\/[0-9a-f-]+\?task=/, soon);
    await page.goto(`${installation.baseUrl}/`);
    await page.getByText('Done', { exact: true }).first().waitFor(soon);
    await looksWell(page, 'home');
  });

  it('lists sessions by one request, reads each picture once, and renames in the list and on the page', async () => {
    const read: string[] = [];
    const note = (request: Request) => void read.push(new URL(request.url()).pathname);
    page.on('request', note);
    await page.goto(`${installation.baseUrl}/sessions`);
    await page.locator('li img').first().waitFor(soon);
    const lists = () => read.filter((path) => path === '/api/sessions').length;
    const before = lists();
    for (const end = Date.now() + 30_000; lists() < before + 2; )
      assert.ok(Date.now() < end && (await page.waitForTimeout(200)) === undefined, 'the list is read again');
    page.off('request', note);
    assert.equal(read.filter((path) => path.endsWith('/thumbnail')).length, 1);
    assert.ok(!read.includes('/api/tasks'), read.join(' '));

    const card = page.getByRole('listitem').filter({ has: page.getByRole('heading', { level: 3 }) });
    await card.getByRole('button', { name: 'Rename' }).click();
    const field = page.getByLabel('Title of the session');
    await field.fill('Not this');
    await field.press('Escape');
    await field.waitFor({ ...soon, state: 'detached' });
    await card.getByRole('button', { name: 'Rename' }).click();
    await field.fill('Lanterns');
    await field.press('Enter');
    await page.getByRole('heading', { name: 'Lanterns' }).waitFor(soon);
    await looksWell(page, 'sessions');
    await page.getByRole('link', { name: 'Lanterns' }).click();
    await page.getByRole('heading', { name: 'Lanterns', level: 1 }).waitFor(soon);
    await page.getByRole('button', { name: 'Rename' }).click();
    await field.fill('Brass lanterns');
    await field.press('Enter');
    await page.getByRole('heading', { name: 'Brass lanterns', level: 1 }).waitFor(soon);
    await page.getByRole('link', { name: 'Home' }).first().click();
    await isHome();
  });

  it('keeps the login over reloads, in several tabs, where no script can read it', async () => {
    const renewals: string[] = [];
    context.on('request', (request) => {
      if (request.url().endsWith('/api/auth/console/refresh')) renewals.push(request.url());
    });
    await page.reload();
    await isHome();
    const [cookie, ...others] = await context.cookies(`${installation.baseUrl}/api/auth/console/refresh`);
    assert.deepEqual([cookie?.httpOnly, cookie?.sameSite, cookie?.path, others], [true, 'Strict', '/api/auth', []]);
    const readable = await page.evaluate(() =>
      [document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage)].join(' '),
    );
    assert.doesNotMatch(readable, /ph[ar]_/);
    // A tab that is open gives its access token to those that are loaded: the limit of renewals is not met.
    const renewed = renewals.length;
    assert.ok(renewed <= 1, `${renewed} renewals`);
    const second = await context.newPage();
    for (let load = 0; load < 5; load += 1) {
      await second.goto(`${installation.baseUrl}/`);
      await second.getByRole('heading', { name: 'What should be done?' }).waitFor(soon);
    }
    assert.equal(renewals.length, renewed);
    await second.close();
  });

  it('has other pages that are for everybody too', async () => {
    await page.goto(`${installation.baseUrl}/inbox`);
    await page.getByText('Nothing waits for you').waitFor(soon);
    await looksWell(page, 'inbox');
    for (const [part, words] of [
      ['account', 'New password'],
      ['logins', 'This one'],
      ['keys', 'New key'],
      ['profiles', 'No profiles yet'],
      ['secrets', 'No secrets yet'],
      ['look', 'Single keys'],
    ] as const) {
      await page.goto(`${installation.baseUrl}/settings/${part}`);
      await page.getByText(words, { exact: true }).first().waitFor(soon);
      await looksWell(page, `settings-${part}`);
    }
    await page.goto(`${installation.baseUrl}/settings/nothing`);
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor(soon);
    await looksWell(page, 'not-found');
  });

  it('says when it cannot be read, and tries again', async () => {
    await page.route('**/api/auth/console/refresh', (route) => route.fulfill({ status: 502, body: 'no' }));
    await page.goto(`${installation.baseUrl}/settings`);
    await page.getByRole('button', { name: 'Try again' }).waitFor(soon);
    await page.unroute('**/api/auth/console/refresh');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('button', { name: 'Log out' }).waitFor(soon);
  });

  it('changes the password, which ends every other login', async () => {
    const elsewhere = createLogin({ baseUrl: installation.baseUrl });
    await elsewhere.login({ username_or_email: 'ada', password: first });
    await page.goto(`${installation.baseUrl}/settings/account`);
    await page.getByLabel('Present password', { exact: true }).fill('not this one');
    await page.getByLabel('New password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page
      .getByText(/wrong|not right|do not match/i)
      .first()
      .waitFor(soon);
    await page.getByLabel('Present password', { exact: true }).fill(first);
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('The password is changed.').first().waitFor(soon);
    await assert.rejects(elsewhere.client.getMe(), { name: 'ApiError' });
    await elsewhere.close();
    await page.reload();
    await page.getByRole('button', { name: 'Log out' }).waitFor(soon);
  });

  it('asks again in place when the login has ended, and goes on where it was', async () => {
    await page.goto(`${installation.baseUrl}/`);
    await isHome();
    await page.getByLabel('Script, one instruction a line').fill('open example.com');
    const other = await context.newPage();
    await other.goto(`${installation.baseUrl}/settings/logins`);
    await other.getByText('This one', { exact: true }).waitFor(soon);
    await endAllLogins();
    await other.getByRole('dialog', { name: 'Log in again' }).waitFor(soon);
    await page.getByRole('dialog', { name: 'Log in again' }).waitFor(soon);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
    await page.getByRole('dialog').waitFor({ ...soon, state: 'detached' });
    assert.equal(await page.getByLabel('Script, one instruction a line').inputValue(), 'open example.com');
    // The other tab goes on as well.
    await other.getByRole('dialog').waitFor({ ...soon, state: 'detached' });
    await other.close();
  });

  it('logs out in every tab, and then asks for a login; nothing broke the policy of the page', async () => {
    const other = await context.newPage();
    await other.goto(`${installation.baseUrl}/settings/logins`);
    await other.getByText('This one', { exact: true }).waitFor(soon);
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.getByRole('button', { name: 'Log in' }).waitFor(soon);
    await other.waitForURL(/\/login/, soon);
    assert.deepEqual(await context.cookies(`${installation.baseUrl}/api/auth/console/refresh`), []);
    await page.goto(`${installation.baseUrl}/settings`);
    await page.waitForURL(/\/login/, soon);
    assert.deepEqual(faults, []);
  });
});
