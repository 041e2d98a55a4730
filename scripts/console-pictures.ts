// node scripts/console-pictures.ts [name …]: pictures of the console's pages for docs/pictures/console, dark and light, from
// a real installation. It writes nothing else.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogin } from '@pilothouse/sdk';
import { demoExamples } from '@pilothouse/stack';
import type { Page } from 'playwright-core';
import { doubleApproval, orderAt } from '../testkit/console/approval-double.ts';
import { launchBrowser } from '../testkit/console/console-page.ts';
import { toIndexedPng } from '../testkit/console/indexed-png.ts';
import { makeAdmin } from '../testkit/console/make-admin.ts';
import { openInstallation } from '../testkit/installation.ts';
import type { MindAnswer, MindRequest } from '../testkit/models/mind.ts';
import { planning } from '../testkit/models/minds.ts';
import { startModelServer } from '../testkit/models/server.ts';
import { root } from '../testkit/stack/folders.ts';
import { until } from '../testkit/until.ts';

const wanted = process.argv.slice(2);
const folder = join(root, 'docs/pictures/console');
const soon = { timeout: 60_000 };
const sizes = {
  wide: { width: 1440, height: 900 },
  small: { width: 1280, height: 800 },
  narrow: { width: 390, height: 844 },
} as const;
const person = { username: 'ada', email: 'ada@example.com', password: 'a harbour at night 17' };

// Only the picture of a model's task has one: without it the home page shows that tasks are scripts.
const model = wanted.includes('model')
  ? await startModelServer(planning(() => planOfLanterns, thinkOfLanterns))
  : undefined;
if (model) Object.assign(process.env, { MODELS: `local=${model.addresses.chat}#lantern`, MODEL_PRICES: 'local=3:15' });
// Offered as in the demo; none of them is run for a picture.
process.env.EXAMPLES = JSON.stringify(demoExamples('http://shop.example'));
const installation = await openInstallation('console-pictures', { disableAuth: false });
const { client: guest, shop, baseUrl } = installation;
await guest.register(person);
const login = createLogin({ baseUrl });
await login.login({ username_or_email: person.username, password: person.password });
const { client } = login;
const browser = await launchBrowser();
const page = await (await browser.newContext({ viewport: sizes.wide, reducedMotion: 'reduce' })).newPage();

type Steps = NonNullable<Parameters<typeof client.sendChat>[0]['steps']>;
const there: Steps[number] = { action: 'navigate', url: `${shop.url}/`, title: 'Open Harbour Supplies' };
const never: Steps[number] = {
  action: 'wait',
  for: { text: 'Never said' },
  timeout_secs: 300,
  title: 'Wait until the price is shown',
};

async function picture(name: string, of: Page, size: keyof typeof sizes): Promise<void> {
  await of.setViewportSize(sizes[size]);
  for (const colorScheme of ['light', 'dark'] as const) {
    await of.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    // Two frames: the theme is set, and what depends on it is laid out.
    await of.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const png = toIndexedPng(await of.screenshot());
    writeFileSync(join(folder, `${name}-${colorScheme}.png`), png);
    console.log(`${name}-${colorScheme}.png ${Math.round(png.length / 1024)} KiB`);
  }
  await of.setViewportSize(sizes.wide);
}

const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name);
const driver = (state: string) => page.locator(`[data-testid=driver][data-state=${state}]`).waitFor(soon);
const frame = (of: Page) => of.locator('[data-testid=picture][data-frame]').waitFor(soon);

async function run(prompt: string, title: string, steps: Steps, status?: string) {
  const { session_id, task_id } = await client.sendChat({ prompt, steps });
  await client.updateSession({ id: session_id, title });
  if (status)
    await until(async () => (await client.getTaskStatus({ id: task_id })).status.status === status, soon.timeout);
  return { session_id, task_id, path: `${baseUrl}/sessions/${session_id}?task=${task_id}` };
}

async function auth(): Promise<void> {
  await page.goto(`${baseUrl}/login`);
  await page.getByLabel('Name or e-mail').fill(person.username);
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  if (isWanted('login')) await picture('login', page, 'wide');
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await page.getByRole('heading', { name: 'What should be done?' }).waitFor(soon);
}

/** Sessions in each of their states, for the lists. */
async function fillLists(): Promise<void> {
  const each = { name: { css: 'h2' }, price: { css: 'p' } };
  await run('Buy an anchor light', 'Anchor light', [there, { action: 'click', target: 'Add Anchor light to basket' }]);
  await run(
    'Read what the shop sells, as a table',
    'Prices of the galley stores',
    [there, { action: 'extract', kind: 'records', each: 'article', fields: each, as: 'offers' }],
    'success',
  );
  await run(
    'Order rope for berth 14',
    'Rope for berth 14',
    [there, { action: 'ask', question: 'Which rope: hemp at 27 €, or the one that is out of stock until Friday?' }],
    'awaiting_user',
  );
}

async function lists(): Promise<void> {
  const pages = [
    { name: 'home', path: '/', shows: 'Prices of the galley stores' },
    { name: 'inbox', path: '/inbox', shows: 'Which rope' },
    { name: 'settings', path: '/settings/account', shows: 'Password' },
  ];
  for (const { name, path, shows } of pages) {
    await page.goto(`${baseUrl}${path}`);
    await page.getByText(shows).filter({ visible: true }).first().waitFor(soon);
    // Small pictures are read after the list.
    await until(() => page.evaluate(() => [...document.images].every(({ complete }) => complete)), soon.timeout);
    await page.waitForTimeout(1500);
    if (isWanted(name)) await picture(name, page, 'wide');
    if (name === 'home' && isWanted('narrow-home')) await picture('narrow-home', page, 'narrow');
  }
}

async function secrets(): Promise<void> {
  const value = 'a value that is in no picture';
  const origins = ['https://github.com', 'https://gist.github.com'];
  await client.putSecret({ name: 'github', value, origins, totp: 'GEZD GNBV GY3T QOJQ' });
  await client.putSecret({ name: 'chandlery', value, origins: ['https://shop.harbour-supplies.example'] });
  await page.goto(`${baseUrl}/settings/secrets`);
  await page.getByTestId('secret').nth(1).waitFor(soon);
  await picture('settings-secrets', page, 'small');
}

/** What an administrator sees of all that was made for the other lists. */
async function administration(): Promise<void> {
  const operator = { username: 'root', email: 'root@example.com', password: person.password };
  await guest.register(operator);
  await makeAdmin(installation.stack.services.databaseUrl(), operator.username);
  const theirs = await (await browser.newContext({ viewport: sizes.wide, reducedMotion: 'reduce' })).newPage();
  await theirs.goto(`${baseUrl}/login`);
  await theirs.getByLabel('Name or e-mail').fill(operator.username);
  await theirs.getByLabel('Password', { exact: true }).fill(operator.password);
  await theirs.getByRole('button', { name: 'Log in', exact: true }).click();
  await theirs.getByRole('link', { name: 'Admin' }).click();
  const rows = { overview: 'host', hosts: 'host', tasks: 'admin-task', users: 'admin-user', audit: 'audit-entry' };
  for (const [part, row] of Object.entries(rows)) {
    await theirs.goto(`${baseUrl}/admin/${part}`);
    await theirs.getByTestId(row).first().waitFor(soon);
    await picture(part === 'overview' ? 'admin' : `admin-${part}`, theirs, 'wide');
  }
  await theirs.context().close();
}

/** A task in the middle of its work: watched, searched over, driven, handed back, looked back at. */
async function session(): Promise<void> {
  const { path, session_id, task_id } = await run(
    'Find the cheapest lantern that is rated for storm, put one into the basket, and stop before paying.',
    'Reorder the galley stores',
    [
      there,
      { action: 'type', target: 'Search', text: 'lantern', title: 'Search the shop' },
      { action: 'click', target: 'Find', title: 'Press “Find”' },
      { action: 'click', target: 'Add Brass lantern to basket', title: 'Add “Brass lantern” to the basket' },
      { ...there, title: 'Back to all offers' },
      { action: 'hover', target: 'Add Galley kettle to basket', title: 'Point at “Galley kettle”' } as Steps[number],
      never,
      { action: 'screenshot', title: 'Open the basket' },
    ],
  );
  await page.goto(path);
  await page.locator('[data-testid=step][data-state=running]').filter({ hasText: 'Wait until' }).waitFor(soon);
  await frame(page);
  if (isWanted('session')) await picture('session', page, 'wide');
  if (isWanted('session-1280')) await picture('session-1280', page, 'small');
  if (isWanted('narrow-session')) await picture('narrow-session', page, 'narrow');
  if (isWanted('palette')) {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor(soon);
    await picture('palette', page, 'wide');
    await page.keyboard.press('Escape');
  }
  await page.keyboard.press('Shift+W');
  await driver('you');
  await page.getByTestId('page-keys').waitFor({ ...soon, state: 'attached' });
  if (isWanted('wheel')) await picture('wheel', page, 'wide');
  if (isWanted('narrow-wheel')) await picture('narrow-wheel', page, 'narrow');
  await page.keyboard.press('Shift+Escape');
  await page.keyboard.press('w');
  await page.locator('[data-testid=driver][data-state=agent]').waitFor(soon);
  await page.getByTestId('step').filter({ hasText: 'Add “Brass lantern”' }).getByRole('button').first().click();
  await driver('look_back');
  await frame(page);
  if (isWanted('replay')) await picture('replay', page, 'wide');
  await page.goto(`${path}&drawer=executions`);
  await page.getByTestId('drawer').waitFor(soon);
  await frame(page);
  if (isWanted('drawer')) await picture('drawer', page, 'wide');
  if (isWanted('share')) await share(session_id);
  await client.cancelTask({ id: task_id });
}

async function share(id: string): Promise<void> {
  const { share: given } = await client.shareSession({ id });
  const watching = await (await browser.newContext({ viewport: sizes.wide, reducedMotion: 'reduce' })).newPage();
  await watching.goto(new URL(given.share_path, baseUrl).href);
  await frame(watching);
  await picture('share', watching, 'wide');
  await watching.context().close();
}

/** A yes to one act, and the rules that ask for it. Both are doubled answers, so that every picture has the same. */
async function approval(): Promise<void> {
  const { path, session_id, task_id } = await run(
    'Find the cheapest lantern that is rated for storm, put one into the basket, and stop before paying.',
    'Reorder the galley stores',
    [
      there,
      { action: 'click', target: 'Add Brass lantern to basket', title: 'Add “Brass lantern” to the basket' },
      { action: 'type', target: 'Name', text: 'MV Aurora', title: 'Write the name of the ship' },
      { action: 'hover', target: 'Place order', title: 'Go on to the order' },
      { action: 'ask', question: 'Shall it be ordered?' },
    ],
    'awaiting_user',
  );
  const { overlays } = (await client.getSession({ id: session_id })).snapshot;
  const bbox = overlays.findLast((overlay) => overlay.bbox)?.bbox ?? null;
  const act = orderAt(`${shop.url}/basket`, {
    bbox,
    picture_path: path,
    amounts: ['Brass lantern 48 €', 'Total 54,90 €'],
  });
  const double = await doubleApproval(page, act);
  await page.goto(path);
  await page.locator('[data-testid=approval][data-state=armed]').waitFor(soon);
  await frame(page);
  await picture('approval', page, 'wide');
  await picture('approval-1280', page, 'small');
  await picture('narrow-approval', page, 'narrow');
  await double.close();
  const policy = { mode: 'standard', deny: ['ads.example', 'tracker.example'], read_only: ['bank.example'] };
  const rules = {
    mode: 'careful',
    allow: [],
    deny: [...policy.deny, 'evil.example'],
    read_only: policy.read_only,
    watch: [],
  };
  await page.route(/\/api\/policy$/, (route) => route.fulfill({ json: { success: true, policy, effective: rules } }));
  await page.goto(`${baseUrl}/settings/policy`);
  await page.getByTestId('policy-in-force').waitFor(soon);
  await picture('settings-policy', page, 'wide');
  await client.cancelTask({ id: task_id });
}

const planOfLanterns = ['Open the shop', 'Search for lanterns under 60 €', 'Put the cheapest into the basket'].map(
  (text) => ({ text, site: 'harbour-supplies.test' }),
);

/** The first two goals are met; the third is at work when the picture is made. */
function thinkOfLanterns({ messages }: MindRequest): MindAnswer {
  const done = messages.reduce((sum, { calls }) => sum + calls.length, 0);
  const say = (check: string, goal: string, thought: string, name: string, input: unknown) => ({
    text: `check: ${check}\ngoal: ${goal}\n${thought}`,
    calls: [{ name, input }],
  });
  const thoughts = [
    say('Nothing is open yet.', 'Open the shop', 'The shop is the only site that may be used.', 'open', {
      url: `${shop.url}/`,
    }),
    say(
      'The shop is open and lists six offers.',
      'Search for lanterns',
      'A search shows every lantern with its price on one page.',
      'open',
      { url: `${shop.url}/?q=lantern` },
    ),
  ];
  return (
    thoughts[done] ??
    say(
      'One lantern is offered, at 48 €.',
      'Wait until the storm rating is shown',
      'It is the only lantern under 60 €. Whether it is rated for storm is not on the page yet.',
      'wait',
      { secs: 30 },
    )
  );
}

/** A task in words in the middle of its work: the thought, the goal, and what it has cost. */
async function modelTask(): Promise<void> {
  const { session_id, task_id } = await client.sendChat({
    prompt: 'Find the cheapest lantern under 60 € that is rated for storm, and stop before paying.',
    // Addresses that no person gave would need a yes.
    constraints: [`Use only the pages ${shop.url}/ and ${shop.url}/?q=lantern of the shop`],
  });
  await client.updateSession({ id: session_id, title: 'Reorder the galley stores' });
  await page.goto(`${baseUrl}/sessions/${session_id}?task=${task_id}`);
  await page.locator('[data-testid=decision][data-state=now]').filter({ hasText: 'storm rating' }).waitFor(soon);
  await frame(page);
  await picture('model', page, 'wide');
  await picture('narrow-model', page, 'narrow');
  await page.getByTestId('decision').nth(1).getByRole('button', { name: 'What it saw' }).click();
  await page.getByLabel('What the model saw').waitFor(soon);
  await page.getByTestId('timeline').hover();
  await page.mouse.wheel(0, -300);
  await picture('model-view', page, 'wide');
  await client.cancelTask({ id: task_id });
  const planned = await client.sendChat({
    prompt: 'Find the cheapest lantern under 60 € that is rated for storm, and stop before paying.',
    ...{ planner: 'llm', confirm: 'plan', session_id },
  });
  await page.goto(`${baseUrl}/sessions/${session_id}?task=${planned.task_id}`);
  await page.getByTestId('plan').waitFor(soon);
  await picture('plan', page, 'wide');
  await client.cancelTask({ id: planned.task_id });
}

/** Pictures that need no task at work. */
const withoutSession = [
  'admin',
  'home',
  'inbox',
  'settings',
  'settings-secrets',
  'narrow-home',
  'login',
  'model',
  'approval',
];

try {
  mkdirSync(folder, { recursive: true });
  await auth();
  if (model) await modelTask();
  else if (wanted.length !== 1 || !['approval', 'settings-secrets'].some(isWanted)) await fillLists();
  if (!model && isWanted('approval')) await approval();
  if (isWanted('settings-secrets')) await secrets();
  if (isWanted('admin')) await administration();
  if (['home', 'inbox', 'settings', 'narrow-home'].some(isWanted)) await lists();
  if (wanted.length === 0 || wanted.some((name) => !withoutSession.includes(name))) await session();
} finally {
  await browser.close();
  await installation.close();
  await model?.close();
}
