// A yes to one act, in the console. Its states are reached by doubled answers of the server; the journey from the question of an
// agent to the act is real, and waits for a server that has a policy.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Approval } from '@pilothouse/contract';
import type { Browser, Page } from 'playwright-core';
import { type ApprovalDouble, doubleApproval, orderAt } from '../testkit/console/approval-double.ts';
import { launchBrowser } from '../testkit/console/console-page.ts';
import { looksWell } from '../testkit/console/looks-well.ts';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import { scripted } from '../testkit/models/minds.ts';
import { type ModelServer, startModelServer } from '../testkit/models/server.ts';
import { teacher } from '../testkit/models/teacher.ts';
import { until } from '../testkit/until.ts';

/** Wide enough for a machine that is busy with other tests. */
const soon = { timeout: 60_000 };
const armMs = 800;
/** High enough for the whole card. */
const viewport = { width: 1280, height: 960 };

/** Runs in the page: when a card was first there, and when its yes could be pressed. */
function watchCards(): void {
  const seen: { state: string; at: number }[] = [];
  Object.assign(globalThis, { cards: seen });
  new MutationObserver(() => {
    const state = document.querySelector('[data-testid=approval]')?.getAttribute('data-state');
    if (state && seen.at(-1)?.state !== state) seen.push({ state, at: performance.now() });
  }).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['data-state'] });
}
const cardsOf = (page: Page) =>
  page.evaluate(() => (globalThis as unknown as { cards: { state: string; at: number }[] }).cards);

describe('a yes to one act, in the console', () => {
  let installation: Installation;
  let model: ModelServer;
  let browser: Browser;
  let page: Page;
  let task: { session_id: string; task_id: string };
  let bbox: Approval['bbox'];
  let double: ApprovalDouble | undefined;
  const faults: string[] = [];

  before(async () => {
    model = await startModelServer(scripted([]));
    process.env.MODELS = `local=${model.addresses.chat}#teacher`;
    installation = await openInstallation('console-approval');
    const { client, shop } = installation;
    task = await client.sendChat({
      prompt: 'Put a lantern into the basket, and stop before paying.',
      steps: [
        { action: 'navigate', url: `${shop.url}/` },
        { action: 'click', target: 'Add Brass lantern to basket' },
        { action: 'hover', target: 'Place order' },
        { action: 'ask', question: 'Shall it be ordered?' },
      ],
    });
    await until(async () => (await statusOf(task.task_id)).status === 'awaiting_user', soon.timeout);
    const { snapshot } = await client.getSession({ id: task.session_id });
    bbox = snapshot.overlays.findLast((overlay) => overlay.bbox)?.bbox ?? null;
    browser = await launchBrowser();
    const context = await browser.newContext({ viewport, reducedMotion: 'reduce' });
    page = await context.newPage();
    await page.addInitScript(watchCards);
    page.on('pageerror', (error) => faults.push(error.message));
  });
  after(async () => {
    delete process.env.MODELS;
    await browser?.close();
    await installation?.close();
    await model?.close();
  });

  const statusOf = async (id: string) => (await installation.client.getTaskStatus({ id })).status;
  const card = () => page.getByTestId('approval');
  const inState = (state: string) => page.locator(`[data-testid=approval][data-state=${state}]`).waitFor(soon);
  const yes = () => card().getByRole('button', { name: /^Yes, click/ });
  const order = (given: Partial<Approval> = {}) =>
    orderAt(`${installation.shop.url}/basket`, { bbox, picture_path: '/picture', amounts: ['48 €'], ...given });
  /** The page of the session, or of the inbox, in which the task asks about this act. */
  async function show(approval: Approval, path = `/sessions/${task.session_id}?task=${task.task_id}`) {
    await double?.close();
    double = await doubleApproval(page, approval);
    await page.goto(`${installation.baseUrl}${path}`);
    await card().waitFor(soon);
    return double;
  }

  it('is armed after it was seen, is framed on the picture, and looks well', { timeout: 240_000 }, async () => {
    const shown = await show(
      order({ form_action: 'https://pay.example/orders', frame_origin: 'https://frame.example' }),
    );
    assert.equal(await yes().getAttribute('aria-disabled'), 'true', 'it is said that it cannot be pressed yet');
    await card().getByText('yes can be pressed after').waitFor(soon);
    await yes().click({ force: true });
    await inState('armed');
    assert.deepEqual(shown.answers, [], 'a click before it was seen is none');
    const [first, armed] = await cardsOf(page);
    assert.ok(first && armed && armed.at - first.at >= armMs, `armed after ${(armed?.at ?? 0) - (first?.at ?? 0)} ms`);
    const words = await card().innerText();
    for (const said of ['Click “Place order”', '/basket', 'pay.example/orders', 'frame.example', '48 €', 'not checked'])
      assert.ok(words.includes(said), said);
    assert.ok(words.includes('stop before paying'), 'the words of the goal');
    assert.match(words, /1\d:\d\d left/);
    assert.match(
      words,
      /Good for this one click, on the page as pictured at \d\d:\d\d:\d\d\. If the page changes first/,
    );
    await page.locator('[data-testid=driver][data-state=asks_yes]').waitFor(soon);
    await page.getByTestId('target').getByText('Wants to click “Place order”').waitFor(soon);
    const [target, picture] = await Promise.all([
      page.locator('.mark-target').boundingBox(),
      page.getByTestId('picture').boundingBox(),
    ]);
    assert.ok(target && picture && bbox);
    const scale = picture.width / 1280;
    assert.ok(Math.abs(target.x - (picture.x + bbox.x * scale - 5)) < 2, 'the frame is around the button');
    await looksWell(page, 'approval');
    assert.deepEqual(faults, []);
  });

  it('is never said by Enter, and by Y only with the card in focus', { timeout: 120_000 }, async () => {
    const shown = await show(order());
    await inState('armed');
    await page.keyboard.press('y');
    await yes().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /this kind on this site/ }).focus();
    await page.keyboard.press('Enter');
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.keyboard.press('a');
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('data-testid')), 'approval');
    await page.keyboard.press('Enter');
    assert.deepEqual(shown.answers, []);
    await page.keyboard.press('y');
    await inState('sent');
    await card().getByText('Your yes was sent.').first().waitFor(soon);
    const { question } = await statusOf(task.task_id);
    assert.deepEqual(shown.answers, [{ answer: 'once', asked_at: question?.asked_at }]);
    assert.deepEqual(faults, []);
  });

  it('that is refused is said, and what is asked now begins again', { timeout: 120_000 }, async () => {
    const shown = await show(order());
    await inState('armed');
    shown.refuses = true;
    shown.approval = order({
      id: '0198c4a1-0000-7000-8000-000000000002',
      void_reason: 'The page changed after the yes: the amounts (48 €, now 480 €).',
      amounts: ['480 €'],
    });
    await yes().press('Space');
    await page.getByText('Your answer was not taken, and nothing was done').first().waitFor(soon);
    await card().getByText('An earlier yes was void.').waitFor(soon);
    await card().getByText('the amounts (48 €, now 480 €)').waitFor(soon);
    await inState('armed');
    const times = await cardsOf(page);
    const last = times.findLastIndex(({ state }) => state === 'seen');
    assert.ok((times[last + 1]?.at ?? 0) - (times[last]?.at ?? 0) >= armMs, 'armed again only after it was seen');
    shown.refuses = false;
    await card().getByRole('button', { name: 'No', exact: true }).click();
    await card().getByText('Your no was sent.').first().waitFor(soon);
    assert.deepEqual(
      shown.answers.map(({ answer }) => answer),
      ['once', 'no'],
    );
    assert.deepEqual(faults, []);
  });

  it('cannot be said when its time is over', { timeout: 120_000 }, async () => {
    const shown = await show(order({ expires_at: new Date(Date.now() - 1000).toISOString() }));
    await inState('lapsed');
    await yes().click({ force: true });
    await card().focus();
    await page.keyboard.press('y');
    assert.deepEqual(shown.answers, []);
    await card().getByText('which counts as no').waitFor(soon);
  });

  it('is asked for in the inbox, and holds for its kind if the person says so', { timeout: 240_000 }, async () => {
    const shown = await show(order({ secret: 'shop password', value: null }), `/inbox/${task.task_id}`);
    await page.getByText('Asks for your yes').first().waitFor(soon);
    await card().getByText('shop password').waitFor(soon);
    await inState('armed');
    await looksWell(page, 'approval-in-inbox');
    await card()
      .getByRole('button', { name: /this kind on this site/ })
      .click();
    await page.getByText('Your yes was sent.').first().waitFor(soon);
    assert.deepEqual(
      shown.answers.map(({ answer }) => answer),
      ['kind'],
    );
    assert.deepEqual(faults, []);
  });

  it('is told with the step, in the timeline and in the ledger', { timeout: 120_000 }, async () => {
    const shown = await show(order());
    shown.verdict = { class: 'commit', outcome: 'ask', sentence: 'It pays.', approved_by: 'ada' };
    await page.goto(`${installation.baseUrl}/sessions/${task.session_id}?task=${task.task_id}&drawer=executions`);
    const line = page.getByTestId('timeline').getByTestId('verdict').first();
    await line.getByText('Commits you · asked · It pays.').waitFor(soon);
    await line.getByText('approved by ada').waitFor(soon);
    await page.getByTestId('drawer').getByTestId('verdict').first().waitFor(soon);
    shown.verdict = null;
    await page.reload();
    await page.getByTestId('drawer').getByText('done').first().waitFor(soon);
    assert.equal(await page.getByTestId('verdict').count(), 0, 'nothing where nothing was said');
    await double?.close();
    double = undefined;
  });

  it('rules are changed in the settings, and a line that is wrong says so', { timeout: 240_000 }, async () => {
    let policy: object = { mode: 'standard', deny: ['ads.example'] };
    const effective = { mode: 'careful', allow: [], deny: ['ads.example', 'evil.example'], read_only: [], watch: [] };
    const pattern = /\/api\/policy$/;
    await page.route(pattern, (route) => {
      if (route.request().method() === 'PUT') {
        const sent = route.request().postDataJSON() as { deny?: string[] };
        const wrong = sent.deny?.findIndex((host) => host.includes('*')) ?? -1;
        const errors = [{ pointer: `/body/deny/${wrong}`, message: 'must be a host name' }];
        const words = 'The request is wrong.';
        const problem = {
          ...{
            type: 'about:blank',
            code: 'validation_failed',
            title: words,
            status: 422,
            detail: words,
            message: words,
          },
          ...{ success: false, request_id: task.task_id, errors },
        };
        if (wrong >= 0) return route.fulfill({ status: 422, contentType: 'application/problem+json', json: problem });
        policy = sent;
      }
      return route.fulfill({ json: { success: true, policy, effective } });
    });
    await page.goto(`${installation.baseUrl}/settings/policy`);
    await page.getByRole('radio', { name: /^Standard/ }).waitFor(soon);
    assert.equal(await page.getByRole('radio', { name: /^Free/ }).count(), 0, 'only an administrator is offered it');
    const inForce = page.getByTestId('policy-in-force');
    await inForce.getByText('The installation is stricter than you.').waitFor(soon);
    await inForce.getByText('Of the installation: evil.example').waitFor(soon);
    await page.getByRole('button', { name: 'Add a host to Never these sites' }).press('Enter');
    await page.keyboard.type('*.bad.example');
    await page.getByRole('radio', { name: /^Careful/ }).check();
    await page.getByRole('button', { name: 'Save the policy' }).click();
    const line = page.getByLabel('Never these sites, line 2');
    await page.getByText('Must be a host name.').waitFor(soon);
    assert.equal(await line.getAttribute('aria-invalid'), 'true');
    await looksWell(page, 'settings-policy');
    await line.fill('bad.example');
    await page.getByRole('button', { name: 'Save the policy' }).click();
    await page.getByText('The policy is saved.').first().waitFor(soon);
    assert.deepEqual(policy, { mode: 'careful', deny: ['ads.example', 'bad.example'] });
    await page.unroute(pattern);
    assert.deepEqual(faults, []);
  });

  it('a model that wants to order is asked about, and orders after the yes', { timeout: 240_000 }, async () => {
    const { client, shop, baseUrl } = installation;
    const orders = () => shop.posts.filter(({ path }) => path === '/orders').length;
    const before = orders();
    model.think(
      teacher([
        { open: `${shop.url}/` },
        { click: 'Add Brass lantern to basket' },
        { click: 'Place order' },
        { finish: undefined },
      ]),
    );
    // A site that the words name is one that may be gone to.
    const prompt = `Order a lantern at ${shop.url}/`;
    const { task_id: id, session_id } = await client.sendChat({ prompt, planner: 'llm' });
    await page.goto(`${baseUrl}/sessions/${session_id}?task=${id}`);
    await card().waitFor(soon);
    await card().getByText('Place order').first().waitFor(soon);
    await inState('armed');
    assert.equal(orders(), before, 'nothing is ordered before the yes');
    await yes().click();
    await page.locator('[data-testid=task-status][data-status=success]').waitFor(soon);
    assert.equal(orders(), before + 1);
    await page.goto(`${baseUrl}/sessions/${session_id}?task=${id}&tab=steps`);
    await page.getByTestId('verdict').filter({ hasText: 'approved by' }).first().waitFor(soon);
    await page.getByTestId('question').getByText('Yes, this once').waitFor(soon);
    assert.deepEqual(faults, []);
  });
});
