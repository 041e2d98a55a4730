// The journey of a person who has only a keyboard. Nothing here uses a mouse, and nothing is filled in past the keys.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../testkit/console/console-page.ts';
import { focusOf, seesFocus, tabTo } from '../testkit/console/keyboard.ts';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import { type EnquirySite, startEnquiry } from '../testkit/pages/enquiry.ts';
import { until } from '../testkit/until.ts';

const viewport = { width: 1440, height: 900 };
/** Wide enough for a machine that is busy with other tests. */
const soon = { timeout: 45_000 };

let installation: Installation;
let site: EnquirySite;
let browser: Browser;
let folder: string;
before(async () => {
  site = await startEnquiry();
  folder = await mkdtemp(join(tmpdir(), 'console-keyboard-'));
  await writeFile(join(folder, 'letter.txt'), 'Ahoy');
  installation = await openInstallation('console-keyboard', { disableAuth: false, sites: [site.url] });
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await installation?.close();
  await site?.close();
  if (folder) await rm(folder, { recursive: true });
});

const driver = (page: Page, state: string) => page.locator(`[data-testid=driver][data-state=${state}]`).waitFor(soon);

async function register(page: Page): Promise<void> {
  await page.goto(`${installation.baseUrl}/register`);
  await until(async () => (await focusOf(page)).name === 'Name', soon.timeout);
  await seesFocus(page, 'the first field');
  await page.keyboard.type('ada');
  await tabTo(page, 'E-mail');
  await page.keyboard.type('ada@example.com');
  await tabTo(page, 'Password');
  await page.keyboard.type('a harbour at night 17');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'What should be done?' }).waitFor(soon);
}

async function writeScript(page: Page, lines: string[]): Promise<void> {
  await page.keyboard.press('c');
  await seesFocus(page, 'the composer');
  for (const [index, line] of lines.entries()) {
    if (index > 0) await page.keyboard.press('Enter');
    await page.keyboard.type(line);
    // Closes what the editor suggests, so that Enter is a new line.
    await page.keyboard.press('Escape');
  }
  await seesFocus(page, 'the script editor');
  assert.deepEqual(await page.getByTestId('script-editor').locator('.cm-line').allTextContents(), lines);
  await page.keyboard.press('Control+Enter');
  await page.waitForURL(/\/sessions\/[0-9a-f-]+\?task=/, soon);
}

/** The keys go to the page; what it asks takes the focus, and gives it back. */
async function fillEnquiry(page: Page): Promise<void> {
  const { keyboard } = page;
  const untilPageHasKeys = async (when: string) => {
    await until(async () => (await focusOf(page)).testId === 'page-keys', soon.timeout).catch(async () =>
      assert.fail(`${when}: the page has no keys, but ${JSON.stringify(await focusOf(page))}`),
    );
    await seesFocus(page, when);
  };
  // The agent has written a name already, and left the focus there.
  await keyboard.press('Control+a');
  await keyboard.type('Ada Lovelace');
  await keyboard.press('Tab');
  await keyboard.press('Alt+ArrowDown');
  await page.getByTestId('page-list').waitFor(soon);
  await seesFocus(page, 'the list of the page');
  await keyboard.press('End');
  await keyboard.press('ArrowUp');
  await keyboard.press('Enter');
  await page.getByTestId('page-list').waitFor({ ...soon, state: 'detached' });
  await untilPageHasKeys('after the list');

  await keyboard.press('Tab');
  await page.getByTestId('picker').waitFor(soon);
  await seesFocus(page, 'the picker of the date');
  await keyboard.type('12242026');
  await keyboard.press('Enter');
  await page.getByTestId('picker-closed').waitFor(soon);
  await untilPageHasKeys('after the picker');

  // Month, day, year and the sign of the field, then the time and the colour.
  for (const field of ['time', 'color']) {
    await until(async () => {
      await keyboard.press('Tab');
      return page
        .locator(`[data-testid=picker][data-type=${field}]`)
        .waitFor({ timeout: 2500 })
        .then(
          () => true,
          () => false,
        );
    }, soon.timeout);
    await keyboard.press('Escape');
    await untilPageHasKeys(`after the picker of the ${field}`);
  }
  // The browser takes its own chooser over only some time after it is asked to, and does not say when: so it is asked early.
  const chosen = page.waitForEvent('filechooser', { timeout: 2 * soon.timeout });
  await keyboard.press('Tab');
  await keyboard.press('Enter');
  await page.getByTestId('file-chooser').waitFor(soon);
  await seesFocus(page, 'the file chooser');
  await keyboard.press('Enter');
  const chooser = await chosen;
  await chooser.setFiles(join(folder, 'letter.txt'));
  await page.getByTestId('file-chooser').waitFor({ ...soon, state: 'detached' });
  await untilPageHasKeys('after the file chooser');

  await keyboard.press('Tab');
  await keyboard.press('Enter');
  await page.getByTestId('page-dialog').getByText('Send this enquiry?').waitFor(soon);
  await seesFocus(page, 'the dialog of the page');
  await keyboard.press('Enter');
  await page.getByTestId('page-dialog').waitFor({ ...soon, state: 'detached' });
  await untilPageHasKeys('after the dialog');
}

it('a person with only a keyboard registers, runs a script, drives, hands back, looks back, shares and takes it back', async () => {
  const page = await browser.newPage({ viewport });
  const { keyboard } = page;
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  await register(page);
  await writeScript(page, [
    `open ${site.url}/`,
    'type "Ada" into "Name"',
    'wait until url contains "received" within 300 s',
  ]);
  await page.getByTestId('mark-label').filter({ hasText: 'Name' }).waitFor(soon);

  // What lies over the page gives the focus back when it closes.
  await tabTo(page, 'Share');
  for (const [key, name] of [
    ['Control+k', 'Search and commands'],
    ['?', 'Keys'],
  ] as const) {
    await keyboard.press(key);
    await page.getByRole('dialog', { name }).waitFor(soon);
    await seesFocus(page, name);
    await keyboard.press('Escape');
    await page.getByRole('dialog', { name }).waitFor({ ...soon, state: 'detached' });
    assert.equal((await seesFocus(page, `after ${name}`)).name, 'Share');
  }

  await keyboard.press('Shift+W');
  await driver(page, 'you');
  await page.getByTestId('page-keys').waitFor({ ...soon, state: 'attached' });
  await seesFocus(page, 'the page has the keys');
  await fillEnquiry(page);
  await until(() => site.sent.length > 0, soon.timeout);
  const [{ name, berth, arrival, letter } = assert.fail('nothing was sent')] = site.sent;
  assert.deepEqual(
    { name, berth, arrival, letter },
    { name: 'Ada Lovelace', berth: 'Berth 14', arrival: '2026-12-24', letter: 'letter.txt: Ahoy' },
  );

  await keyboard.press('Shift+Escape');
  assert.match((await seesFocus(page, 'the keys are free')).name, /^Hand back/);
  await tabTo(page, 'Note for the agent', 'Shift+Tab');
  await keyboard.type('The enquiry is sent');
  await keyboard.press('Enter');
  await page.locator('[data-testid=task-status][data-status=success]').waitFor(soon);
  await seesFocus(page, 'after the wheel is handed back');

  await tabTo(page, 'Result');
  await keyboard.press('ArrowLeft');
  assert.equal((await seesFocus(page, 'the other tab')).name, 'Steps');
  await page.getByTestId('note').filter({ hasText: 'The enquiry is sent' }).waitFor(soon);
  await tabTo(page, /^Type .*Name/);
  await keyboard.press('Enter');
  await driver(page, 'look_back');
  assert.match((await seesFocus(page, 'while looking back')).name, /^Type .*Name/);
  await tabTo(page, 'Back to live');
  await keyboard.press('Space');
  await driver(page, 'idle');
  assert.equal((await seesFocus(page, 'live again')).name, 'Live');

  await tabTo(page, 'Share', 'Shift+Tab');
  await keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Share to watch' }).waitFor(soon);
  await page.getByRole('button', { name: 'Create a link' }).waitFor(soon);
  await seesFocus(page, 'the way to share');
  await tabTo(page, 'Create a link');
  await keyboard.press('Enter');
  const link = await page.getByTestId('share-link').inputValue(soon);
  assert.equal((await seesFocus(page, 'the link is made')).name, 'New link');
  const guest = await (await browser.newContext({ viewport })).newPage();
  await guest.goto(link);
  await guest.locator('[data-testid=picture][data-frame]').waitFor(soon);
  await tabTo(page, 'Stop sharing');
  await keyboard.press('Enter');
  await guest.getByText('This link is not valid, or no longer.').waitFor(soon);
  assert.equal((await seesFocus(page, 'the link is taken back')).name, 'Create a link');
  await keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Share to watch' }).waitFor({ ...soon, state: 'detached' });
  assert.equal((await seesFocus(page, 'after sharing')).name, 'Share');
  assert.deepEqual(errors, []);
});
