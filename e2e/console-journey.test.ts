import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../testkit/console/console-page.ts';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import { type EnquirySite, enquiryPlaces, startEnquiry } from '../testkit/pages/enquiry.ts';
import { until } from '../testkit/until.ts';

const viewport = { width: 1440, height: 900 };
/** Wide enough for a machine that is busy with other tests. */
const soon = { timeout: 45_000 };

let installation: Installation;
let site: EnquirySite;
let browser: Browser;
before(async () => {
  site = await startEnquiry();
  installation = await openInstallation('console-journey', { disableAuth: false, sites: [site.url] });
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await installation?.close();
  await site?.close();
});

const driver = (page: Page, state: string) => page.locator(`[data-testid=driver][data-state=${state}]`).waitFor(soon);

/** Presses a place of the page that is driven. */
async function press(page: Page, { x, y }: { x: number; y: number }): Promise<void> {
  const box = await page.getByTestId('picture').boundingBox();
  assert.ok(box, 'the picture is there');
  const scale = box.width / 1280;
  await page.mouse.click(box.x + x * scale, box.y + y * scale);
}

async function register(page: Page): Promise<void> {
  await page.goto(`${installation.baseUrl}/register`);
  await page.getByLabel('Name', { exact: true }).fill('ada');
  await page.getByLabel('E-mail').fill('ada@example.com');
  await page.getByLabel('Password', { exact: true }).fill('a harbour at night 17');
  await page.getByRole('button', { name: 'Register' }).click();
  await page.getByRole('heading', { name: 'What should be done?' }).waitFor(soon);
}

async function fillEnquiry(page: Page): Promise<void> {
  const { name, berth, arrival, letter, send } = enquiryPlaces;
  await press(page, name);
  // The agent has written a name already.
  await page.keyboard.press('Control+a');
  await page.keyboard.type('Ada Lovelace');
  await press(page, berth);
  await page.getByTestId('page-list').waitFor(soon);
  await page.keyboard.type('Berth 14');
  await page.keyboard.press('Enter');
  await page.getByTestId('page-list').waitFor({ ...soon, state: 'detached' });
  await press(page, arrival);
  await page.getByTestId('picker').waitFor(soon);
  await page.getByLabel('Value: date').fill('2026-12-24');
  await page.keyboard.press('Enter');
  await page.getByTestId('picker-closed').waitFor(soon);
  await press(page, { ...letter, x: 140 });
  await page.getByTestId('file-chooser').getByText('One file, 45 KiB at most').waitFor(soon);
  const file = { name: 'letter.txt', mimeType: 'text/plain', buffer: Buffer.from('Ahoy') };
  await page.getByTestId('chosen-files').setInputFiles(file);
  await page.getByTestId('file-chooser').waitFor({ ...soon, state: 'detached' });
  await press(page, send);
  await page.getByTestId('page-dialog').getByText('Send this enquiry?').waitFor(soon);
  await page.getByTestId('page-dialog').getByRole('button', { name: 'OK' }).click();
}

it('a person runs a script, drives in the middle of it, looks back, and shares what is seen', async () => {
  const page = await browser.newPage({ viewport });
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  await register(page);
  const script = page.getByLabel('Script, one instruction a line');
  await script.fill(`open ${site.url}/\ntype "Ada" into "Name"\nwait until url contains "received" within 300 s`);
  await script.press('Control+Enter');
  await page.waitForURL(/\/sessions\/[0-9a-f-]+\?task=/, soon);
  await page.getByTestId('mark-label').filter({ hasText: 'Name' }).waitFor(soon);

  await page.keyboard.press('Shift+W');
  await driver(page, 'you');
  await page.getByTestId('page-keys').waitFor({ ...soon, state: 'attached' });
  await press(page, enquiryPlaces.name);
  await page.keyboard.press('Control+a');
  // The page is loaded again in the middle: the tab goes on driving, and counts on.
  await until(async () => (await page.getByTestId('page-keys').count()) > 0, soon.timeout);
  await page.reload();
  await driver(page, 'you');
  await page.getByTestId('page-keys').waitFor({ ...soon, state: 'attached' });
  await fillEnquiry(page);
  await until(() => site.sent.length > 0, soon.timeout);
  const [{ name, berth, arrival, letter } = assert.fail('nothing was sent')] = site.sent;
  assert.deepEqual(
    { name, berth, arrival, letter },
    { name: 'Ada Lovelace', berth: 'Berth 14', arrival: '2026-12-24', letter: 'letter.txt: Ahoy' },
  );

  await page.getByLabel('Note for the agent').fill('The enquiry is sent');
  await page.getByLabel('Note for the agent').press('Enter');
  await page.locator('[data-testid=task-status][data-status=success]').waitFor(soon);
  await page.getByRole('tab', { name: 'Steps' }).click();
  await page.getByTestId('handover').filter({ hasText: 'You drove' }).waitFor(soon);
  await page.getByTestId('note').filter({ hasText: 'The enquiry is sent' }).waitFor(soon);
  await page.getByTestId('step').nth(1).getByRole('button').first().click();
  await driver(page, 'look_back');
  await page.getByTestId('live').click();
  await driver(page, 'idle');

  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByRole('button', { name: 'Create a link' }).click();
  const link = await page.getByTestId('share-link').inputValue(soon);
  const guest = await (await browser.newContext({ viewport })).newPage();
  await guest.goto(link);
  await guest.locator('[data-testid=picture][data-frame]').waitFor(soon);
  await page.getByRole('button', { name: 'Stop sharing' }).click();
  await guest.getByText('This link is not valid, or no longer.').waitFor(soon);
  assert.deepEqual(errors, []);
});
