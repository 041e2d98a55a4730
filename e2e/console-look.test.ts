import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Client, createLogin } from '@pilothouse/sdk';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../testkit/console/console-page.ts';
import { looksWell } from '../testkit/console/looks-well.ts';
import { makeAdmin } from '../testkit/console/make-admin.ts';
import { type Installation, openInstallation } from '../testkit/installation.ts';

/** Wide enough for a machine that is busy with other tests. */
const soon = { timeout: 30_000 };
const person = { username: 'ada', email: 'ada@example.com', password: 'a harbour at night 17' };
const operator = { username: 'root', email: 'root@example.com', password: 'a lamp over the door 5' };
const wide = { width: 1280, height: 800 };

describe('how the console looks', () => {
  let installation: Installation;
  let browser: Browser;
  let page: Page;
  let client: Client;
  before(async () => {
    installation = await openInstallation('console-look', { disableAuth: false });
    await installation.client.register(person);
    const login = createLogin({ baseUrl: installation.baseUrl });
    await login.login({ username_or_email: person.username, password: person.password });
    client = login.client;
    browser = await launchBrowser();
    page = await openPage();
  });
  after(async () => {
    await browser?.close();
    await installation?.close();
  });

  /** Axe asks for a context of its own. */
  const openPage = async () => (await browser.newContext({ viewport: wide, reducedMotion: 'reduce' })).newPage();

  const driver = (state: string) => page.locator(`[data-testid=driver][data-state=${state}]`).waitFor(soon);
  const status = (value: string) => page.locator(`[data-testid=task-status][data-status=${value}]`).waitFor(soon);

  async function run(prompt: string, steps: Parameters<Client['sendChat']>[0]['steps']) {
    const { session_id, task_id } = await client.sendChat({ prompt, steps });
    const path = `/sessions/${session_id}?task=${task_id}`;
    await page.goto(`${installation.baseUrl}${path}`);
    return { session_id, task_id, path };
  }

  it('login and register', async () => {
    await page.goto(`${installation.baseUrl}/register`);
    await page.getByLabel('E-mail').waitFor(soon);
    await looksWell(page, 'register');
    await page.goto(`${installation.baseUrl}/login`);
    await page.getByLabel('Name or e-mail').fill(person.username);
    await page.getByLabel('Password', { exact: true }).fill(person.password);
    await looksWell(page, 'login');
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
    await page.getByRole('heading', { name: 'What should be done?' }).waitFor(soon);
  });

  it('a task that the agent works on, that a person drives, and that is looked back at', async () => {
    const { shop } = installation;
    const { task_id } = await run('Find a brass lantern and put it into the basket', [
      { action: 'navigate', url: `${shop.url}/` },
      { action: 'type', target: 'Search', text: 'lantern' },
      { action: 'wait', for: { text: 'Never said' }, timeout_secs: 300 },
      { action: 'click', target: 'Add Brass lantern to basket' },
    ]);
    await driver('agent');
    await page.locator('[data-testid=step][data-state=running]').waitFor(soon);
    await page.locator('[data-testid=picture][data-frame]').waitFor(soon);
    await looksWell(page, 'session-agent');
    await page.keyboard.press('Shift+W');
    await driver('you');
    await looksWell(page, 'session-you');
    await page.keyboard.press('Shift+Escape');
    await page.getByRole('button', { name: 'Hand back' }).click();
    await driver('agent');
    await page.getByTestId('step').first().getByRole('button').first().click();
    await driver('look_back');
    await looksWell(page, 'session-look-back');
    await client.cancelTask({ id: task_id });
  });

  it('a result, its drawer, and what a guest sees', async () => {
    const { shop, baseUrl } = installation;
    const { session_id, path } = await run('Read what the shop sells', [
      { action: 'navigate', url: `${shop.url}/` },
      {
        action: 'extract',
        kind: 'records',
        each: 'article',
        fields: { name: { css: 'h2' }, price: { css: 'p' } },
        as: 'offers',
      },
    ]);
    await status('success');
    await looksWell(page, 'session-done');
    for (const drawer of ['logs', 'executions']) {
      await page.goto(`${baseUrl}${path}&drawer=${drawer}`);
      await page.getByTestId('drawer').waitFor(soon);
      await looksWell(page, `session-drawer-${drawer}`);
    }
    const { share } = await client.shareSession({ id: session_id });
    const guest = await openPage();
    await guest.goto(new URL(share.share_path, baseUrl).href);
    await guest.locator('[data-testid=picture][data-frame]').waitFor(soon);
    await looksWell(guest, 'share');
    await guest.close();
  });

  it('a task that failed, and one that asks', async () => {
    const { shop, baseUrl } = installation;
    await run('Buy an anchor light', [
      { action: 'navigate', url: `${shop.url}/` },
      { action: 'click', target: 'Add Anchor light to basket' },
    ]);
    await page.locator('[data-testid=task-status][data-status=failed]').waitFor({ timeout: 90_000 });
    await looksWell(page, 'session-failed');
    await run('Order rope for berth 14', [
      { action: 'navigate', url: `${shop.url}/` },
      { action: 'ask', question: 'Which rope?' },
    ]);
    await status('awaiting_user');
    await looksWell(page, 'session-asks');
    await page.goto(`${baseUrl}/inbox`);
    await page.getByText('Which rope?').first().waitFor(soon);
    await looksWell(page, 'inbox');
  });

  it('the pages of administrators, for them alone, with text that would be markup', async () => {
    const { baseUrl } = installation;
    await page.goto(`${baseUrl}/admin/users`);
    await page.getByText('Only for administrators').waitFor(soon);
    assert.equal(await page.getByRole('link', { name: 'Admin' }).count(), 0);
    await installation.client.register(operator);
    await makeAdmin(installation.stack.services.databaseUrl(), operator.username);
    const theirs = await openPage();
    const hostile = '<img src=x onerror="document.title=1">\u202e';
    await installation.client.login({ username_or_email: hostile, password: 'x' }).catch(() => {});
    await theirs.goto(`${baseUrl}/login`);
    await theirs.getByLabel('Name or e-mail').fill(operator.username);
    await theirs.getByLabel('Password', { exact: true }).fill(operator.password);
    await theirs.getByRole('button', { name: 'Log in', exact: true }).click();
    await theirs.getByRole('link', { name: 'Admin' }).click();
    await theirs.getByTestId('host').waitFor(soon);
    await looksWell(theirs, 'admin');
    const parts = theirs.getByRole('navigation', { name: 'Admin' });
    for (const [part, row] of [
      ['Hosts', 'host'],
      ['Tasks', 'admin-task'],
      ['Users', 'admin-user'],
      ['Audit', 'audit-entry'],
    ] as const) {
      await parts.getByRole('link', { name: part }).click();
      await theirs.getByTestId(row).first().waitFor(soon);
      if (part !== 'Hosts') await looksWell(theirs, `admin-${row}`);
    }
    await theirs.getByLabel('User', { exact: true }).fill(hostile);
    await theirs.keyboard.press('Enter');
    await theirs.getByText('There is no such user').waitFor(soon);
    assert.equal(await theirs.locator('main img').count(), 0);
    await parts.getByRole('link', { name: 'Users' }).click();
    await theirs.getByRole('button', { name: `Disable ${person.username}` }).waitFor(soon);
    await theirs.context().close();
  });

  it('every other page, with what opens over it', async () => {
    for (const path of ['/', '/sessions', '/settings']) {
      await page.goto(`${installation.baseUrl}${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor(soon);
      await looksWell(page, path.slice(1) || 'home');
    }
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor(soon);
    await looksWell(page, 'palette');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ ...soon, state: 'detached' });
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor(soon);
    await looksWell(page, 'keys');
  });
});
