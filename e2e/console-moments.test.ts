// What the console shows for a moment only, judged as a page that stays is: what lies over the page, dark and light, wide
// and narrow, and the states that end by themselves, held by a doubled snapshot.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Snapshot, Takeover } from '@pilothouse/contract';
import { type Client, createLogin } from '@pilothouse/sdk';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../testkit/console/console-page.ts';
import { holdSnapshots } from '../testkit/console/held-snapshot.ts';
import { createStateLook, looksWell } from '../testkit/console/looks-well.ts';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import { type EnquirySite, enquiryPlaces, startEnquiry } from '../testkit/pages/enquiry.ts';
import { until } from '../testkit/until.ts';

/** Wide enough for a machine that is busy with other tests. */
const soon = { timeout: 45_000 };
const viewport = { width: 1280, height: 800 };
const person = { username: 'ada', email: 'ada@example.com', password: 'a harbour at night 17' };

let installation: Installation;
let site: EnquirySite;
let browser: Browser;
let page: Page;
let client: Client;
let task: { session_id: string; task_id: string };

const openPage = async () => (await browser.newContext({ viewport, reducedMotion: 'reduce' })).newPage();
const driver = (state: string) => page.locator(`[data-testid=driver][data-state=${state}]`).waitFor(soon);

async function logIn(of: Page): Promise<void> {
  await of.goto(`${installation.baseUrl}/login`);
  await of.getByLabel('Name or e-mail').fill(person.username);
  await of.getByLabel('Password', { exact: true }).fill(person.password);
  await of.getByRole('button', { name: 'Log in', exact: true }).click();
  await of.getByRole('heading', { name: 'What should be done?' }).waitFor(soon);
}

before(async () => {
  site = await startEnquiry();
  installation = await openInstallation('console-moments', { disableAuth: false, sites: [site.url] });
  await installation.client.register(person);
  const login = createLogin({ baseUrl: installation.baseUrl });
  await login.login({ username_or_email: person.username, password: person.password });
  client = login.client;
  browser = await launchBrowser();
  page = await openPage();
  await logIn(page);
  task = await client.sendChat({
    prompt: 'Ask for a berth',
    steps: [
      { action: 'navigate', url: `${site.url}/` },
      { action: 'wait', for: { text: 'Never said' }, timeout_secs: 300 },
    ],
  });
});
after(async () => {
  await browser?.close();
  await installation?.close();
  await site?.close();
});

describe('what the page asks of the person who drives', () => {
  /** Presses a place of the page that is driven. */
  async function press({ x, y }: { x: number; y: number }): Promise<void> {
    const box = await page.getByTestId('picture').boundingBox();
    assert.ok(box, 'the picture is there');
    const scale = box.width / 1280;
    await page.mouse.click(box.x + x * scale, box.y + y * scale);
  }
  const asked = (name: string) => page.getByTestId(name);
  const over = (name: string) => asked(name).waitFor({ ...soon, state: 'detached' });

  before(async () => {
    await page.goto(`${installation.baseUrl}/sessions/${task.session_id}`);
    await driver('agent');
    await page.locator('[data-testid=step][data-state=running]').waitFor(soon);
    await page.locator('[data-testid=picture][data-frame]').waitFor(soon);
    await page.keyboard.press('Shift+W');
    await driver('you');
    await page.getByTestId('page-keys').waitFor({ ...soon, state: 'attached' });
  });

  it('a list', async () => {
    await press(enquiryPlaces.berth);
    await asked('page-list').waitFor(soon);
    await looksWell(page, 'page-list');
    await asked('page-list').press('Escape');
    await over('page-list');
  });

  it('a date', async () => {
    await press(enquiryPlaces.arrival);
    await asked('picker').waitFor(soon);
    await looksWell(page, 'picker');
    await page.getByLabel('Value: date').press('Escape');
    await asked('picker-closed').waitFor(soon);
    await looksWell(page, 'picker-closed');
  });

  it('a file', async () => {
    await press({ ...enquiryPlaces.letter, x: 140 });
    await asked('file-chooser').getByText('One file, 45 KiB at most').waitFor(soon);
    await looksWell(page, 'file-chooser');
    const large = { name: 'letter.txt', mimeType: 'text/plain', buffer: Buffer.alloc(100_000, 'W') };
    await page.getByTestId('chosen-files').setInputFiles(large);
    await asked('file-chooser').getByRole('alert').waitFor(soon);
    await looksWell(page, 'file-chooser-refused');
    await asked('file-chooser').getByRole('button', { name: 'Choose none' }).click();
    await over('file-chooser');
  });

  for (const [kind, place, button] of [
    ['alert', enquiryPlaces.say, 'OK'],
    ['prompt', enquiryPlaces.ask, 'Cancel'],
    ['confirm', enquiryPlaces.send, 'Cancel'],
  ] as const)
    it(`a dialog: ${kind}`, async () => {
      await press(place);
      await page.locator(`[data-testid=page-dialog][data-kind=${kind}]`).waitFor(soon);
      await looksWell(page, `page-dialog-${kind}`);
      await asked('page-dialog').getByRole('button', { name: button }).click();
      await over('page-dialog');
    });
});

describe('states of the session page that end by themselves, or come by chance', () => {
  const look = createStateLook();
  const now = () => new Date().toISOString();
  const takeoverOf = ({ route_summary }: Snapshot, said: Partial<Takeover>): Takeover => ({
    ...{ takeover_id: task.task_id, status: 'requested', requested_at: now(), activated_at: null, ended_at: null },
    expires_at: new Date(Date.now() + 300_000).toISOString(),
    ...{ requested_by: person.username, held_by: null, epoch: 1, reason: null, route: route_summary.current },
    ...said,
  });
  type Change = (snapshot: Snapshot) => Partial<Snapshot>;
  const taken =
    (said: Partial<Takeover>): Change =>
    (snapshot) => ({ takeover: takeoverOf(snapshot, said) });
  const covered =
    (private_reason: 'secret_field' | 'page_not_masked' | 'unknown_keys'): Change =>
    ({ last_frame }) => ({
      takeover: null,
      last_frame: last_frame && { ...last_frame, private: true, private_reason, content_type: 'image/png' },
    });
  const starting =
    (hasFrame: boolean): Change =>
    ({ session, last_frame }) => ({
      takeover: null,
      session: { ...session, browser: 'starting' },
      last_frame: hasFrame ? last_frame : null,
    });

  const rows: [name: string, words: string, change: Change][] = [
    ['waiting', 'Waiting for the agent to stop', taken({})],
    ['waiting for another', 'Another person takes the wheel', taken({ requested_by: 'grace' })],
    ['resuming', 'The agent looks at the page', taken({ status: 'resuming' })],
    ['other', 'grace drives', taken({ status: 'active', activated_at: now(), held_by: 'g', held_by_name: 'grace' })],
    ['private field', 'A password is being entered', covered('secret_field')],
    ['not covered yet', 'This page cannot be covered yet', covered('page_not_masked')],
    ['unknown keys', 'Covered until the next page', covered('unknown_keys')],
    ['starting', 'The browser is being opened', starting(true)],
    ['starting, nothing yet', 'Opening the browser', starting(false)],
  ];
  for (const [name, words, change] of rows)
    it(name, async () => {
      const held = await openPage();
      await holdSnapshots(held.context(), (snapshot) => ({ ...snapshot, ...change(snapshot) }));
      await logIn(held);
      await held.goto(`${installation.baseUrl}/sessions/${task.session_id}`);
      await held.getByTestId('window').getByText(words).first().waitFor(soon);
      await look(held, name);
      await held.context().close();
    });
});

describe('what says something over any page', () => {
  it('a message', async () => {
    await page.goto(`${installation.baseUrl}/sessions/${task.session_id}`);
    const words = 'No question stands that this would answer.';
    const json = { type: 'about:blank', code: 'conflict', title: words, status: 409, detail: words, success: false };
    const refuse = /\/api\/(tasks|sessions)\/[^/]+\/.*resume/;
    await page.route(refuse, (route) =>
      route.fulfill({ status: 409, contentType: 'application/problem+json', json: { ...json, message: words } }),
    );
    await driver('you');
    await page.getByRole('button', { name: 'Hand back' }).click();
    const message = page.getByRole('region', { name: 'Messages' }).getByRole('listitem');
    await message.waitFor(soon);
    // Somebody who reads it keeps it.
    await message.getByRole('button', { name: 'Close' }).focus();
    await looksWell(page, 'message');
    await page.unroute(refuse);
  });

  it('a login that has ended', async () => {
    const elsewhere = createLogin({ baseUrl: installation.baseUrl });
    await elsewhere.login({ username_or_email: person.username, password: person.password });
    await elsewhere.client.logoutAll();
    await page.getByRole('dialog', { name: 'Log in again' }).waitFor(soon);
    await looksWell(page, 'login-lost');
    await page.getByLabel('Password', { exact: true }).fill('not this one');
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
    await until(async () => (await page.getByRole('alert').count()) > 0, soon.timeout);
    await looksWell(page, 'login-lost-refused');
  });
});
