// The states of the session page, each reached for real, known by its words, and judged by axe, dark and light.
//
// | State | How it is reached here, or where it is held |
// | --- | --- |
// | idle, nothing yet | a session without a task |
// | browser opened, you | "Open and drive", and ⇧W in a task |
// | another tab | a second tab of the person who drives |
// | browser lost | the host is killed while a person drives |
// | cut off, reconnecting | the server is killed; typed inputs wait: console-typing.test.ts |
// | lease short | a takeover of 30 s |
// | lease over | that takeover runs out; its end is set to now in its row, because 30 s is the shortest |
// | agent | a task waits for a text |
// | recovered | the agent is killed while a page loads; in a `wait` no agent holds the task, so that none is lost with it |
// | no connection on another page | the server is killed; its message after 30 s by the page's own clock |
// | waiting | the wheel is asked for while a step is under way |
// | resuming | the wheel is handed back |
// | asks | a task with the step `ask` |
// | asks for a yes | console-approval.test.ts |
// | pending | a second task in the session |
// | look back | a step is pressed |
// | closed, closed picture | the session is deleted |
// | other, private picture | a guest of a share watches while the owner drives; by name only in driver-state.test.ts: it needs teams |
// | cold | the host is killed after the last task |
// | private field, not covered yet | by a doubled snapshot in console-moments.test.ts: they last as long as an agent types a password |
// | crashed | the process that draws the page is killed |
// | refused by the guard | a private address is opened |
// | share ended, login lost | console-session.test.ts, console.test.ts |
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Step } from '@pilothouse/contract';
import pg from 'pg';
import type { Browser, BrowserContext } from 'playwright-core';
import { rendererPids } from '../apps/browser/testing/processes.ts';
import { type ConsolePage, launchBrowser, openConsolePage } from '../testkit/console/console-page.ts';
import { createStateLook } from '../testkit/console/looks-well.ts';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import { startTickingForm, type TickingForm } from '../testkit/pages/ticking-form.ts';
import { until } from '../testkit/until.ts';

const soonMs = 30_000;

describe('the states of the session page', () => {
  let installation: Installation;
  let site: TickingForm;
  let browser: Browser;
  let context: BrowserContext;
  before(async () => {
    [site, browser] = await Promise.all([startTickingForm(), launchBrowser()]);
    installation = await openInstallation('console-states', { sites: [site.url] });
    context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  });
  after(async () => {
    await browser?.close();
    await installation?.close();
    await site?.close();
  });

  const look = createStateLook();
  const open = (id: string) => openConsolePage(context, `${installation.baseUrl}/sessions/${id}`);
  /** Waits for the state, and holds it to its words. */
  async function says(shown: ConsolePage, kind: string, words: string): Promise<void> {
    await shown.page
      .locator(`[data-testid=driver][data-state=${kind}]`)
      .filter({ hasText: words })
      .waitFor({ timeout: soonMs })
      .catch(async (error) => assert.fail(`${kind}: ${words}: ${await shown.describe()}: ${error.message}`));
    await look(shown.page, kind);
  }
  async function pictureSays({ page }: ConsolePage, words: string): Promise<void> {
    await page
      .locator('[data-testid=picture-pill], [data-testid=placeholder]')
      .filter({ hasText: words })
      .waitFor({ timeout: soonMs });
    await look(page, words);
  }
  const press = ({ page }: ConsolePage, name: string) => page.getByRole('button', { name }).click({ timeout: soonMs });
  const there: Step = { action: 'navigate', url: '' };
  const never: Step = { action: 'wait', for: { text: 'Never said' }, timeout_secs: 300 };
  const begin = (path: string, steps: Step[], session_id?: string) =>
    installation.client.sendChat({
      prompt: path,
      steps: [{ ...there, url: `${site.url}${path}` }, ...steps],
      session_id,
    });

  it('of a person who drives a session without a task', async () => {
    const { client, baseUrl, stack } = installation;
    const { session } = await client.createSession();
    const shown = await open(session.id);
    await says(shown, 'idle', 'Nobody drives');
    await pictureSays(shown, 'Nothing to see yet');
    await press(shown, 'Open and drive');
    await says(shown, 'you', 'You drive');
    assert.ok((await shown.states()).includes('waiting'), 'until the browser is open');
    await shown.visit(`${site.url}/driven`);
    await shown.untilLive(soonMs);

    const second = await open(session.id);
    await says(second, 'another_tab', 'You drive in another tab');
    await second.close();
    const { share } = await client.shareSession({ id: session.id });
    const guest = await openConsolePage(context, new URL(share.share_path, baseUrl).href);
    await says(guest, 'other', 'A person drives');
    await pictureSays(guest, 'Hidden while a person drives');
    await guest.close();

    await stack.kill('server-1');
    await says(shown, 'cut_off', 'Reconnecting, you keep the wheel');
    await pictureSays(shown, 'Reconnecting');
    await stack.start('server-1');
    await says(shown, 'you', 'You drive');
    await stack.kill('browser-1');
    await says(shown, 'browser_lost', 'The browser is being opened again');
    await stack.start('browser-1');
    await says(shown, 'you', 'What you typed there is gone');
    await press(shown, 'Hand back');
    await says(shown, 'idle', 'Nobody drives');
    await client.deleteSession({ id: session.id });
    await says(shown, 'closed', 'This session is closed');
    assert.deepEqual(await shown.faults(), []);
    await shown.close();
  });

  it('of a lease that is short, and over', async () => {
    const { client, stack } = installation;
    const { session } = await client.createSession();
    const shown = await open(session.id);
    await client.requestSessionTakeover({ id: session.id, expires_in_secs: 30 });
    await says(shown, 'lease_short', 'Still there?');
    const db = new pg.Client(stack.services.databaseUrl());
    await db.connect();
    await db.query('update takeovers set expires_at = now() where session_id = $1', [session.id]);
    await db.end();
    await says(shown, 'lease_over', 'after its time without input');
    await client.deleteSession({ id: session.id });
    await shown.close();
  });

  it('of a task, from its place in the queue to its end', async () => {
    const { client, stack } = installation;
    const first = await begin('/first', [never]);
    const shown = await open(first.session_id);
    await says(shown, 'agent', 'The agent drives');
    await shown.untilLive(soonMs);
    await shown.page.keyboard.press('w');
    // On some machines it is over before a test that looks now and then sees it. console-moments.test.ts looks at it closely.
    const hasWaited = async () =>
      (await shown.stateWords()).some((one) => /^waiting:.*Waiting for the agent to stop/s.test(one));
    await until(hasWaited, soonMs);
    // Does nothing if the step has ended by now.
    await shown.page.keyboard.press('Shift+W');
    await says(shown, 'you', 'You drive');
    await press(shown, 'Hand back');
    await shown.untilDriver(['agent', 'recovered'], soonMs);
    assert.ok((await shown.states()).includes('resuming'));

    const second = await begin('/second', [{ action: 'ask', question: 'Which lantern?' }], first.session_id);
    const queued = await openConsolePage(
      context,
      `${installation.baseUrl}/sessions/${first.session_id}?task=${second.task_id}`,
    );
    await says(queued, 'pending', 'Waits its turn');
    await client.cancelTask({ id: first.task_id });
    await says(queued, 'asks', 'The agent asks you');
    await client.signalTakeover({ id: second.task_id, answer: 'Brass' });
    await queued.page.locator('[data-testid=task-status][data-status=success]').waitFor({ timeout: soonMs });
    await queued.page.getByRole('tab', { name: 'Steps' }).click();
    await queued.page.getByTestId('step').first().getByRole('button').first().click();
    await says(queued, 'look_back', 'You look back to');
    await queued.page.getByTestId('live').click();
    await says(queued, 'idle', 'The browser is open');
    await stack.kill('browser-1');
    await stack.start('browser-1');
    await pictureSays(queued, 'The browser rests');
    await client.deleteSession({ id: first.session_id });
    await pictureSays(queued, 'Closed');
    await says(queued, 'closed', 'Nothing runs in it any more');
  });

  it('of a task whose agent is killed in the middle of a step', async () => {
    const { client, stack, shop } = installation;
    const { session_id } = await client.sendChat({
      prompt: 'Open the shop twice',
      steps: [{ ...there, url: `${shop.url}/` }, { ...there, url: `${shop.url}/?slow_ms=10000` }, never],
    });
    const shown = await open(session_id);
    await shown.page.locator('[data-testid=step][data-state=done]').waitFor({ timeout: soonMs });
    await says(shown, 'agent', 'The agent drives');
    await stack.kill('agent-1');
    await stack.start('agent-1');
    await says(shown, 'recovered', 'Another agent went on');
    await says(shown, 'recovered', 'Attempt 2');
    assert.deepEqual(await shown.faults(), []);
    await client.deleteSession({ id: session_id });
    await shown.close();
  });

  it('of a page that may not be reached, and of one that crashes, each until the next good page', async () => {
    const { client, stack } = installation;
    const { session } = await client.createSession();
    const shown = await open(session.id);
    await press(shown, 'Open and drive');
    await says(shown, 'you', 'You drive');
    const pill = shown.page.getByTestId('picture-pill');
    for (const [address, target] of [
      ['http://10.0.0.1/', '10.0.0.1:80'],
      ['https://169.254.169.254/', '169.254.169.254:443'],
    ] as const) {
      await shown.visit(address);
      await pictureSays(shown, `${target} may not be reached from here: it is no public address`);
      await shown.visit(`${site.url}/reached`);
      await shown.untilLive(soonMs);
      assert.equal(await pill.count(), 0);
    }
    const { pid } = stack.status().processes['browser-1'] ?? assert.fail('the host is not there');
    for (const renderer of await rendererPids(`pilothouse-browser-browser-1-${pid}/`))
      process.kill(renderer, 'SIGKILL');
    await pictureSays(shown, 'The page crashed');
    await press(shown, 'Hand back');
    await says(shown, 'idle', 'Nobody drives');
    // An agent that opens the session again opens what has crashed.
    await begin('/mended', [never], session.id);
    await shown.untilLive(soonMs);
    assert.equal(await pill.count(), 0);
    assert.deepEqual(await shown.faults(), []);
    await client.deleteSession({ id: session.id });
    await shown.close();
  });

  it('of another page without a connection: a dot, and after long one neutral message', async () => {
    const { stack, baseUrl } = installation;
    const shown = await openConsolePage(context, 'about:blank');
    const { page } = shown;
    await page.clock.install();
    await page.goto(`${baseUrl}/`);
    await page.getByRole('heading', { name: 'What should be done?' }).waitFor({ timeout: soonMs });
    const dot = page.getByTestId('connection');
    const message = page.getByText('There is no connection at present.');
    assert.equal(await dot.count(), 0);
    await stack.kill('server-1');
    await dot.filter({ hasText: 'Reconnecting' }).waitFor({ timeout: soonMs });
    await look(page, 'connection dot');
    assert.equal(await message.count(), 0);
    await page.clock.runFor(31_000);
    await message.waitFor({ timeout: soonMs });
    await look(page, 'message of a lost connection');
    await page.clock.runFor(61_000);
    assert.equal(await message.count(), 0, 'it is said once, and goes');
    await stack.start('server-1');
    await dot.waitFor({ state: 'detached', timeout: soonMs });
    assert.deepEqual(await shown.alarms(), []);
    await shown.close();
  });

  it('of questions and answers as long as they may be, in the inbox and beside the window', async () => {
    const { client, baseUrl } = installation;
    const question = 'Wharfage '.repeat(110).padEnd(1990, 'W').padEnd(2000, '?');
    const { session_id, task_id } = await client.sendChat({
      prompt: 'W'.repeat(8000),
      planner: 'auto',
      steps: [{ action: 'ask', question }],
    });
    const page = await context.newPage();
    for (const path of [`/inbox/${task_id}`, `/sessions/${session_id}?task=${task_id}`, '/'])
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 844 });
        await page.goto(`${baseUrl}${path}`);
        await page.getByText('Wharfage').filter({ visible: true }).first().waitFor({ timeout: soonMs });
        const tooWide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(tooWide <= 0, `${path} is ${tooWide} px wider than ${width}`);
      }
    await page.goto(`${baseUrl}/inbox/${task_id}`);
    const field = page.getByRole('textbox', { name: 'Your answer' });
    await field.fill(`${'y'.repeat(8000)} and more`);
    await page.getByRole('button', { name: /^Answer/ }).click({ timeout: soonMs });
    await page.waitForURL(/\/inbox$/, { timeout: soonMs });
    const resultOf = async () => (await client.getTaskStatus({ id: task_id })).status.result;
    await until(async () => (await resultOf()) !== null, soonMs);
    assert.equal((await resultOf())?.answers?.[0]?.text.length, 8000, 'the field takes no more');
    await page.close();
  });
});
