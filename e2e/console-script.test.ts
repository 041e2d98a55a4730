import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../testkit/console/console-page.ts';
import { looksWell } from '../testkit/console/looks-well.ts';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import { until } from '../testkit/until.ts';

/** Wide enough for a machine that is busy with other tests. */
const soon = { timeout: 30_000 };
const wide = { width: 1440, height: 900 };

describe('the script editor', () => {
  let installation: Installation;
  let browser: Browser;
  let page: Page;
  const faults: string[] = [];
  const loaded: string[] = [];
  before(async () => {
    installation = await openInstallation('console-script', { disableAuth: true });
    browser = await launchBrowser();
    const context = await browser.newContext({ viewport: wide, reducedMotion: 'reduce' });
    await context.exposeFunction('noteViolation', (text: string) => void faults.push(text));
    await context.addInitScript(() => {
      const { noteViolation } = window as unknown as { noteViolation: (text: string) => void };
      document.addEventListener('securitypolicyviolation', (event) =>
        noteViolation(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`),
      );
    });
    page = await context.newPage();
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('request', (request) => void loaded.push(new URL(request.url()).pathname));
    await page.goto(`${installation.baseUrl}/`);
  });
  after(async () => {
    await browser?.close();
    await installation?.close();
  });

  const field = () => page.getByLabel('Script, one instruction a line');
  const editor = () => page.getByTestId('script-editor');
  const write = (text: string) => page.keyboard.type(text);
  const lines = () => page.locator('.cm-line').allInnerTexts();
  const isEditorLoaded = () => loaded.some((path) => /script-editor.*\.js$/.test(path));

  async function empty(): Promise<void> {
    await field().focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
  }

  it('is not loaded until a script is written, and then takes over without losing a letter', async () => {
    await field().focus();
    await write('# only a remark');
    assert.equal(isEditorLoaded(), false);
    await page.keyboard.press('Enter');
    await write(`open ${installation.shop.url}/`);
    await editor().waitFor(soon);
    assert.ok(isEditorLoaded());
    assert.deepEqual(await lines(), ['# only a remark', `open ${installation.shop.url}/`]);
    await page.keyboard.press('Enter');
    await write('reload');
    await page.keyboard.press('Escape');
    assert.equal((await lines()).at(-1), 'reload', 'the caret is where it was');
    assert.equal(await page.locator('.script-instruction').first().innerText(), 'open');
    assert.equal(await page.locator('.script-comment').innerText(), '# only a remark');
  });

  it('offers instructions of the table, and fills their blanks in turn', async () => {
    await empty();
    await write('typ');
    await page.getByRole('option', { name: /^type/ }).waitFor(soon);
    await looksWell(page, 'script-offers');
    await field().focus();
    await page.keyboard.press('Enter');
    await write('lantern');
    await page.keyboard.press('Tab');
    await write('Search');
    assert.deepEqual(await lines(), ['type "lantern" into "Search"']);
    await page.keyboard.press('End');
    await page.keyboard.press('Escape');
  });

  it('says at the line what is not understood, sends nothing, and goes to it', async () => {
    await empty();
    await write(`open ${installation.shop.url}/`);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await write('clik "Find"');
    await page.keyboard.press('Escape');
    await page.locator('.script-fault').getByText('Did you mean `click "…"`?').waitFor(soon);
    await page.getByText('1 line is not understood').waitFor(soon);
    await page.keyboard.press('Control+Enter');
    await page.getByRole('button', { name: 'Line 2' }).waitFor(soon);
    assert.equal(new URL(page.url()).pathname, '/');
    await looksWell(page, 'script-fault');
    await page.getByRole('button', { name: 'Line 2' }).click();
    await page.keyboard.press('End');
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await write('c');
    await page.keyboard.press('Escape');
    await page.locator('.script-fault').waitFor({ ...soon, state: 'detached' });
    await page.getByText('2 steps').waitFor(soon);
  });

  it('explains an instruction under the pointer', async () => {
    await page.locator('.script-instruction').first().hover();
    await page.locator('.script-tooltip').getByText('Also: go to, goto, visit, navigate to').waitFor(soon);
  });

  it('is left by Escape and Tab, also while something is offered', async () => {
    await field().focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Enter');
    await write('cl');
    await page.getByRole('option').first().waitFor(soon);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    assert.equal(await editor().evaluate((element) => element.contains(document.activeElement)), false);
    await page.keyboard.press('Shift+Tab');
    assert.equal(await editor().evaluate((element) => element.contains(document.activeElement)), true);
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
  });

  it('sends limits and sites with the script', async () => {
    await page.getByRole('button', { name: 'Limits' }).click();
    await page.getByLabel('Minutes at most').fill('2000');
    await page.getByText('to 1440 minutes').waitFor(soon);
    await page.getByLabel('Minutes at most').fill('5');
    await page.getByLabel('Steps at most').fill('12');
    await looksWell(page, 'script-limits');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Any site' }).click();
    await page.getByLabel('Only these sites').fill('127.0.0.1');
    await page.keyboard.press('Escape');
    // Where the focus was before comes back after the window is gone, and would take the keys.
    await until(() => page.evaluate(() => document.activeElement instanceof HTMLButtonElement), soon.timeout);
    await field().focus();
    await page.keyboard.press('Control+Enter');
    await page.waitForURL(/\/sessions\/[0-9a-f-]+\?task=/, soon);
    const id = new URL(page.url()).searchParams.get('task') ?? '';
    const { task } = await installation.client.getTask({ id });
    assert.deepEqual(
      [task.settings.time_limit_secs, task.settings.max_steps, task.settings.allowed_domains],
      [300, 12, ['127.0.0.1']],
    );
    await page.locator('[data-testid=task-status][data-status=success]').waitFor(soon);
  });

  it('is there in a session too, for what comes next', async () => {
    await page.locator('#composer').fill('type "lamp" into "Search"');
    await editor().waitFor(soon);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Enter');
    await write('dance');
    await page.keyboard.press('Escape');
    await page.locator('.script-fault').waitFor(soon);
    await looksWell(page, 'script-session');
    await field().focus();
    await page.keyboard.press('Control+End');
    for (const _ of 'dance.') await page.keyboard.press('Backspace');
    const before = page.url();
    await page.keyboard.press('Control+Enter');
    await until(() => page.url() !== before, soon.timeout);
    await page.locator('[data-testid=task-status][data-status=success]').waitFor(soon);
  });

  it('without a model says so, and offers to write a script', async () => {
    await page.goto(`${installation.baseUrl}/`);
    await page.getByRole('radio', { name: 'Ask' }).click();
    await page.getByText('No model is configured').waitFor(soon);
    await looksWell(page, 'script-no-model');
    await page.getByRole('button', { name: 'Write a script' }).click();
    await editor().waitFor(soon);
  });

  it('breaks nothing of the policy of the page', () => assert.deepEqual(faults, []));
});
