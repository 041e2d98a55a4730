import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../testkit/console/console-page.ts';
import { looksWell } from '../testkit/console/looks-well.ts';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import { scripted } from '../testkit/models/minds.ts';
import { type ModelServer, startModelServer } from '../testkit/models/server.ts';

/** Wide enough for a machine that is busy with other tests. */
const soon = { timeout: 60_000 };

// A person asks in words, watches, says a word, and reads what it brought. The model is scripted and speaks real HTTP.
describe('a task in words, in the console', () => {
  let installation: Installation;
  let model: ModelServer;
  let browser: Browser;
  let page: Page;
  const faults: string[] = [];

  before(async () => {
    model = await startModelServer(scripted([]));
    const { chat } = model.addresses;
    Object.assign(process.env, { MODELS: `local=${chat}#teacher,spare=${chat}#other`, MODEL_PRICES: 'local=3:15' });
    installation = await openInstallation('console-model');
    // Its prompts name no address, and nobody is asked for a yes here.
    await installation.client.setPolicy({ mode: 'free' });
    browser = await launchBrowser();
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
    page = await context.newPage();
    page.on('pageerror', (error) => faults.push(error.message));
  });
  after(async () => {
    delete process.env.MODELS;
    delete process.env.MODEL_PRICES;
    await browser?.close();
    await installation?.close();
    await model?.close();
  });

  it('shows goal, thought, cost, what a person says, and the result', { timeout: 240_000 }, async () => {
    const { promise: mayEnd, resolve: letEnd } = Promise.withResolvers<void>();
    let asked = 0;
    model.think(async ({ messages }) => {
      asked += 1;
      if (asked === 1)
        return {
          text: 'check: nothing is open yet\ngoal: Open the shop <b>now</b>\nThe person wants what the shop sells.',
          calls: [{ name: 'open', input: { url: `${installation.shop.url}/` } }],
        };
      if (!messages.some(({ text, results }) => `${text}${JSON.stringify(results)}`.includes('Only lanterns')))
        return {
          text: 'check: the shop is open\ngoal: Wait until the prices are shown\nPrices may come later.',
          calls: [{ name: 'wait', input: { secs: 5 } }],
        };
      await mayEnd;
      const result = { state: 'done', summary: 'The lantern costs 48 €.' };
      return { text: 'check: read\ngoal: Say what it costs', calls: [{ name: 'finish', input: result }] };
    });
    await page.goto(`${installation.baseUrl}/`);
    const field = page.getByLabel('What should be done?');
    await field.fill('What does a lantern cost?');
    await page.getByRole('button', { name: 'Any model' }).click();
    await page.getByRole('menuitem', { name: 'local' }).click();
    await page.getByRole('button', { name: /^Run/ }).click();
    await page.waitForURL(/\/sessions\/[0-9a-f-]+\?task=/, soon);

    const goal = (text: string) => page.getByTestId('decision').filter({ hasText: text });
    await goal('Open the shop <b>now</b>').waitFor(soon);
    await goal('Wait until the prices are shown').first().waitFor(soon);
    const head = page.getByTestId('task-head');
    await head.getByText(/tokens · \$0\./).waitFor(soon);
    assert.doesNotMatch((await head.textContent()) ?? '', / of null|NaN|undefined/);
    await page.getByText('The model reads it before its next step').waitFor(soon);
    await page.getByLabel('Tell the agent something').fill('Only lanterns, please');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByTestId('note').filter({ hasText: 'Only lanterns, please' }).waitFor(soon);
    await goal('Open the shop').getByRole('button', { name: 'Thinking' }).click();
    await page.getByText('The person wants what the shop sells.').filter({ visible: true }).first().waitFor(soon);
    const saw = goal('Wait until the prices are shown').first();
    await saw.getByRole('button', { name: 'What it saw' }).focus();
    await page.keyboard.press('Enter');
    const seen = saw.getByTestId('decision-view');
    await seen
      .getByLabel('What the model saw')
      .filter({ hasText: /\[e\d+ / })
      .waitFor(soon);
    assert.equal(await seen.locator('a, b, button').count(), 0, 'what a page says is text');
    await seen.getByAltText('The page as it was sent to the model').waitFor(soon);
    await looksWell(page, 'model-saw');
    await page.keyboard.press('Enter');
    await seen.waitFor({ ...soon, state: 'detached' });
    await page.locator('[data-testid=decision][data-state=deciding]').waitFor(soon);
    await looksWell(page, 'model-task');
    letEnd();

    await page.locator('[data-testid=task-status][data-status=success]').waitFor(soon);
    await page.getByTestId('result').getByText('The lantern costs 48 €.').waitFor(soon);
    await looksWell(page, 'model-result');
    assert.deepEqual(faults, []);
  });

  it('shows beside the result what a judge says', { timeout: 120_000 }, async () => {
    model.think(({ tools }) =>
      tools.some(({ name }) => name === 'verdict')
        ? {
            calls: [{ name: 'verdict', input: { points: [], state: 'not', reasons: ['<b>No</b> lantern was seen.'] } }],
          }
        : { calls: [{ name: 'finish', input: { state: 'done', summary: 'A lantern was seen.' } }] },
    );
    const asked = { prompt: 'Look for a lantern.', planner: 'llm', judge: true } as const;
    const { session_id, task_id } = await installation.client.sendChat(asked);
    await page.goto(`${installation.baseUrl}/sessions/${session_id}?task=${task_id}&tab=result`);
    const verdict = page.getByTestId('result').getByTestId('verdict');
    await verdict.filter({ hasText: 'The judge says that it was not done (local)' }).waitFor(soon);
    await verdict.getByText('<b>No</b> lantern was seen.').waitFor(soon);
    await looksWell(page, 'model-verdict');
    assert.deepEqual(faults, []);
  });
});
