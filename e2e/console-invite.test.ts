// An installation that strangers cannot enter: its first administrator comes by the link in the log, everyone else by an invitation.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, it } from 'node:test';
import { createClient } from '@pilothouse/sdk';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../testkit/console/console-page.ts';
import { type Installation, openInstallation } from '../testkit/installation.ts';

const soon = { timeout: 45_000 };
const password = 'a harbour at night 17';

let installation: Installation;
let browser: Browser;
before(async () => {
  process.env.REGISTRATION = 'invite';
  installation = await openInstallation('console-invite', { disableAuth: false, agents: 0, browsers: 0 });
  browser = await launchBrowser();
});
after(async () => {
  delete process.env.REGISTRATION;
  await browser?.close();
  await installation?.close();
});

async function pathInLog(): Promise<string> {
  const { processes } = installation.stack.status();
  const log = await readFile(processes['server-1']?.log ?? assert.fail('no server'), 'utf8');
  return /"open":"(\/register#invite=[^"]+)"/.exec(log)?.[1] ?? assert.fail(`no link in ${log}`);
}
async function openAt(path: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await page.goto(installation.baseUrl + path);
  return page;
}
async function register(page: Page, name: string): Promise<void> {
  await page.getByText('You are invited').waitFor(soon);
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('E-mail').fill(`${name}@example.com`);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Register' }).click();
}
const isIn = (page: Page) => page.getByRole('heading', { name: 'What should be done?' }).waitFor(soon);

it('strangers are told that they need an invitation', async () => {
  const page = await openAt('/register');
  await page.getByText('You need an invitation to register here').waitFor(soon);
  assert.equal(await page.getByRole('textbox').count(), 0);
  await page.getByRole('link', { name: 'Log in' }).click();
  await page.getByRole('button', { name: 'Log in' }).waitFor(soon);
  assert.equal(await page.getByRole('link', { name: 'Register' }).count(), 0);
});

it('the link in the log makes the first administrator, who invites the next person', async () => {
  const path = await pathInLog();
  const first = await openAt(path);
  // What follows the # survives a reload.
  await first.reload();
  await register(first, 'ada');
  await isIn(first);

  const second = await openAt(path);
  await register(second, 'eve');
  await second.getByText('This invitation does not count, or no more').waitFor(soon);

  const { baseUrl, client } = installation;
  const { access_token, user } = await client.login({ username_or_email: 'ada', password });
  assert.equal(user.role, 'admin');
  const admin = createClient({ baseUrl, token: () => access_token });
  const { invite } = await admin.createInvite({ note: 'for Grace' });
  const third = await openAt(invite.path);
  await register(third, 'grace');
  await isIn(third);
  const [used] = (await admin.listInvites({})).invites;
  assert.ok(used?.used_at);
});
