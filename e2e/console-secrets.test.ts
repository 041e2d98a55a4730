// Secrets in the settings of the console: written, refused at the line, replaced and removed, and that the page keeps no
// value. The server is real; only what it cannot be brought to say is doubled.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page, Route } from 'playwright-core';
import { launchBrowser } from '../testkit/console/console-page.ts';
import { looksWell } from '../testkit/console/looks-well.ts';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import { until } from '../testkit/until.ts';

/** Wide enough for a machine that is busy with other tests. */
const soon = { timeout: 30_000 };
const canary = 'canary-Brass Lantern 7719';
const key = 'GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ';
const hostile = '<img src=x onerror="document.title=1"><script>document.title=1</script>';

/** Runs in the page: how many objects that React or its cache reach were looked at, and the strings that hold one of these. */
function findInReact(wanted: string[]): { looked: number; found: string[] } {
  const seen = new Set<unknown>();
  const found: string[] = [];
  const left: unknown[] = [];
  const look = (value: unknown) => {
    if (typeof value === 'string' && wanted.some((text) => value.includes(text))) found.push(value);
    const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
    if (!isObject || seen.has(value) || value instanceof Node || value instanceof Window) return;
    seen.add(value);
    left.push(value);
  };
  for (const element of [document, ...document.querySelectorAll('*')])
    for (const name of Object.keys(element).filter((one) => one.startsWith('__react')))
      look((element as unknown as Record<string, unknown>)[name]);
  for (let next = left.pop(); next !== undefined && seen.size < 1_000_000; next = left.pop()) {
    if (next instanceof Map || next instanceof Set) for (const entry of next.entries()) look(entry);
    for (const { value } of Object.values(Object.getOwnPropertyDescriptors(next as object))) look(value);
  }
  return { looked: seen.size, found };
}

describe('secrets in the console', () => {
  let installation: Installation;
  let browser: Browser;
  let page: Page;
  /** What left the page by an address, and what it wrote to its console. */
  const told: string[] = [];
  const faults: string[] = [];
  before(async () => {
    installation = await openInstallation('console-secrets', { disableAuth: true });
    browser = await launchBrowser();
    page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
    page.on('request', (request) => told.push(request.url()));
    page.on('console', (message) => told.push(message.text()));
    page.on('pageerror', (error) => faults.push(error.message));
  });
  after(async () => {
    await browser?.close();
    await installation?.close();
  });

  const open = async () => {
    await page.goto(`${installation.baseUrl}/settings/secrets`);
    await page.getByRole('heading', { name: 'Secrets', level: 2, exact: true }).waitFor(soon);
  };
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const value = () => page.getByLabel('Value', { exact: true });
  const totp = () => page.getByLabel('Key of one-time codes (optional)');
  const origin = (line: number) => page.getByLabel(`Origins, line ${line}`);
  const row = (name: string) => page.getByTestId('secret').filter({ hasText: name });
  const formIsGone = () => page.getByRole('form').waitFor({ ...soon, state: 'detached' });
  const kept = async () => (await installation.client.listSecrets()).secrets;

  async function keepsNoValue(): Promise<void> {
    const forms = [canary, encodeURIComponent(canary), key];
    const texts = await page.evaluate(() => [
      document.documentElement.outerHTML,
      location.href,
      JSON.stringify([history.state, { ...localStorage }, { ...sessionStorage }]),
      ...[...document.querySelectorAll('input')].map((field) => field.value),
    ]);
    for (const text of [...texts, ...told])
      assert.ok(!forms.some((form) => text.includes(form)), `the value is in ${text.slice(0, 200)}`);
    const { looked, found } = await page.evaluate(findInReact, forms);
    assert.ok(looked > 1000, `only ${looked} objects were found`);
    assert.deepEqual(found, []);
    // The same search finds what the cache has.
    const [secret] = await kept();
    assert.ok(secret && (await page.evaluate(findInReact, [secret.updated_at])).found.length > 0);
  }

  it('are explained where there are none, and refused at the line that is wrong', { timeout: 240_000 }, async () => {
    await open();
    await page.getByText('{{secret:name}}').waitFor(soon);
    await looksWell(page, 'settings-secrets-empty');
    await button('New secret').press('Enter');
    await page.keyboard.type('..');
    await button('Keep the secret').click();
    await page.getByText('Must be 1 to 64 letters').waitFor(soon);
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('github');
    await page.getByText('{{secret:github}}').waitFor(soon);
    await value().fill(canary);
    assert.equal(await value().getAttribute('type'), 'password');
    await totp().fill(key);
    await origin(1).fill('https://github.com');
    await button('Add an origin to Origins').press('Enter');
    await page.keyboard.type('https://*.github.com');
    await button('Keep the secret').click();
    await page.getByText('Must be an exact origin').waitFor(soon);
    assert.equal(await origin(2).getAttribute('aria-invalid'), 'true');
    assert.equal(await origin(1).getAttribute('aria-invalid'), null);
    assert.deepEqual(await kept(), []);
    await looksWell(page, 'settings-secrets-refused');
    const { found } = await page.evaluate(findInReact, [canary, key]);
    assert.deepEqual(found, [], 'what was refused is in its field and nowhere else');
    await button('Remove line 2 of Origins').click();
  });

  it('are written once: listed without the value, which the page does not keep', { timeout: 120_000 }, async () => {
    await button('Keep the secret').click();
    await formIsGone();
    await page.getByText('The secret “github” is kept.').first().waitFor(soon);
    await row('github').getByText('https://github.com').waitFor(soon);
    await row('github').getByText('One-time code').waitFor(soon);
    await row('github').getByText('never used').waitFor(soon);
    await until(() => button('New secret').evaluate((one) => one === document.activeElement), soon.timeout);
    await keepsNoValue();
    const [secret] = await kept();
    assert.deepEqual([secret?.name, secret?.origins, secret?.has_totp], ['github', ['https://github.com'], true]);
  });

  it('are replaced with the value written again, and say what goes with it', { timeout: 120_000 }, async () => {
    await button('Replace github').click();
    await page.getByText('It has one now: write it again, or it is removed.').waitFor(soon);
    assert.equal(await value().inputValue(), '');
    assert.ok(await value().evaluate((one) => one === document.activeElement));
    assert.equal(await origin(1).inputValue(), 'https://github.com');
    await value().fill('abc');
    await button('Replace the secret').click();
    await page.getByText('Must have at least 4 characters').waitFor(soon);
    await value().fill(`${canary} 2`);
    await origin(1).fill('https://gist.github.com');
    await button('Replace the secret').click();
    await formIsGone();
    await row('github').getByText('https://gist.github.com').waitFor(soon);
    await row('github')
      .getByText('One-time code')
      .waitFor({ ...soon, state: 'detached' });
    await until(() => button('Replace github').evaluate((one) => one === document.activeElement), soon.timeout);
    await keepsNoValue();
    await button('New secret').click();
    await page.getByLabel('Name', { exact: true }).fill('github');
    await page.getByText('You have a secret of this name: it is replaced.').waitFor(soon);
    await button('Cancel').click();
    await formIsGone();
    assert.equal((await kept()).length, 1);
  });

  it('are removed after a yes that names them', { timeout: 120_000 }, async () => {
    const dialog = page.getByRole('dialog', { name: 'Remove “github”?' });
    await button('Remove github').click();
    await dialog.waitFor(soon);
    await looksWell(page, 'settings-secrets-remove');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ ...soon, state: 'detached' });
    assert.equal((await kept()).length, 1, 'Enter keeps it');
    await button('Remove github').click();
    await dialog.getByRole('button', { name: 'Remove the secret' }).click();
    await page.getByText('No secrets yet').waitFor(soon);
    await dialog.waitFor({ ...soon, state: 'detached' });
    assert.deepEqual(await kept(), []);
    await until(() => page.evaluate(() => document.activeElement !== document.body), soon.timeout);
  });

  it('are shown as text, whatever their names and origins are', { timeout: 120_000 }, async () => {
    const at = new Date().toISOString();
    const times = { created_at: at, updated_at: at, last_used_at: at };
    const secrets = [
      { name: hostile, origins: [hostile, `https://${'a'.repeat(280)}.test`], has_totp: true, ...times },
      { name: '\u202Egnp.exe', origins: ['https://xn--80ak6aa92e.com'], has_totp: false, ...times, last_used_at: null },
    ];
    await page.route('**/api/secrets', (route) => route.fulfill({ json: { success: true, secrets } }));
    await open();
    await row('<img src=x').getByText('just now').first().waitFor(soon);
    await row('[U+202E]gnp.exe').waitFor(soon);
    assert.equal(await page.locator('main img, main script').count(), 0);
    await looksWell(page, 'settings-secrets-hostile');
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      const tooWide = await page.locator('main').evaluate((one) => one.scrollWidth - one.clientWidth);
      assert.ok(tooWide <= 0, `the list is ${tooWide} px wider than a window of ${width}`);
    }
    await button(`Remove ${hostile}`).click();
    await page.getByRole('dialog').waitFor(soon);
    await looksWell(page, 'settings-secrets-hostile-remove');
    await page.keyboard.press('Escape');
    assert.notEqual(await page.title(), '1');
    await page.unroute('**/api/secrets');
  });

  it('are refused in plain words by a server that has no key for them', { timeout: 120_000 }, async () => {
    const words = 'This server keeps no secrets: PROFILE_KEY is not set.';
    const problem = { type: 'about:blank', code: 'conflict', title: words, status: 409, detail: words, message: words };
    const refuse = (route: Route) =>
      route.fulfill({
        status: 409,
        contentType: 'application/problem+json',
        json: { ...problem, success: false, request_id: '00000000-0000-7000-8000-000000000000' },
      });
    await page.route('**/api/secrets/*', refuse);
    await open();
    await button('New secret').click();
    await page.getByLabel('Name', { exact: true }).fill('x');
    await value().fill(canary);
    await origin(1).fill('https://a.test');
    await button('Keep the secret').click();
    await page.getByRole('alert').getByText(words).waitFor(soon);
    await page.unroute('**/api/secrets/*');
    await page.route('**/api/capabilities', async (route) => {
      const answer = await route.fetch();
      const { caller, ...shared } = (await answer.json()) as { caller: object };
      await route.fulfill({ json: { ...shared, caller: { ...caller, profiles: false } } });
    });
    await open();
    await page.getByRole('alert').getByText(words).waitFor(soon);
    assert.equal(await button('New secret').count(), 0);
    await looksWell(page, 'settings-secrets-off');
    assert.deepEqual(faults, []);
  });
});
