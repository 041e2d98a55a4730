import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../testkit/console/console-page.ts';
import { looksWell } from '../testkit/console/looks-well.ts';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import { planning, scripted } from '../testkit/models/minds.ts';
import { type ModelServer, startModelServer } from '../testkit/models/server.ts';
import { teacher } from '../testkit/models/teacher.ts';
import { until } from '../testkit/until.ts';

/** Wide enough for a machine that is busy with other tests. */
const soon = { timeout: 60_000 };

// A person changes the plan of a model by keyboard, says what to change, chooses an answer and takes the wheel.
describe('plans and questions of a model, in the console', () => {
  let installation: Installation;
  let model: ModelServer;
  let browser: Browser;
  let page: Page;
  const faults: string[] = [];

  before(async () => {
    model = await startModelServer(scripted([]));
    process.env.MODELS = `local=${model.addresses.chat}#teacher`;
    installation = await openInstallation('console-plans');
    // Its prompts name no address, and nobody is asked for a yes here.
    await installation.client.setPolicy({ mode: 'free' });
    browser = await launchBrowser();
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
    page = await context.newPage();
    page.on('pageerror', (error) => faults.push(error.message));
  });
  after(async () => {
    delete process.env.MODELS;
    await browser?.close();
    await installation?.close();
    await model?.close();
  });

  const statusOf = async (id: string) => (await installation.client.getTaskStatus({ id })).status;
  const texts = () =>
    page
      .getByRole('textbox', { name: /^Item \d of \d$/ })
      .evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value));

  it('a plan is changed by keyboard alone, and started', { timeout: 240_000 }, async () => {
    const items = ['Open the shop', 'Find a lantern', 'Buy it'].map((text) => ({ text, site: 'shop.test' }));
    const intents = [{ open: `${installation.shop.url}/` }, { finish: undefined }];
    model.think(planning((said) => [...items, ...said.map((text) => ({ text }))], teacher(intents)));
    await page.goto(`${installation.baseUrl}/`);
    await page.getByLabel('What should be done?').fill('Buy a lantern');
    await page.getByRole('button', { name: 'Limits' }).click();
    await page.getByLabel('Show me the plan before it begins').check();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^Run/ }).click();
    await page.waitForURL(/\/sessions\/[0-9a-f-]+\?task=/, soon);
    const id = new URL(page.url()).searchParams.get('task') ?? '';

    await page.getByTestId('plan').waitFor(soon);
    assert.deepEqual(await texts(), ['Open the shop', 'Find a lantern', 'Buy it']);
    await looksWell(page, 'plan');
    await page.getByRole('textbox', { name: 'Item 3 of 3' }).focus();
    await page.keyboard.press('Alt+ArrowUp');
    await page.keyboard.press('Alt+ArrowUp');
    assert.deepEqual(await texts(), ['Buy it', 'Open the shop', 'Find a lantern']);
    await page.keyboard.press('Alt+ArrowUp');
    await page.keyboard.press('End');
    await page.keyboard.type(' now');
    assert.deepEqual(await texts(), ['Buy it now', 'Open the shop', 'Find a lantern'], 'the item keeps the focus');
    await page.getByRole('button', { name: 'Remove item 2' }).focus();
    await page.keyboard.press('Enter');
    assert.deepEqual(await texts(), ['Buy it now', 'Find a lantern']);
    await page.getByRole('button', { name: 'Move item 2 up' }).focus();
    await page.keyboard.press('Enter');
    assert.deepEqual(await texts(), ['Find a lantern', 'Buy it now']);
    await page.getByRole('button', { name: 'Start' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('[data-testid=task-status][data-status=success]').waitFor(soon);
    const { plan_items } = await statusOf(id);
    assert.deepEqual(plan_items, [{ text: 'Find a lantern', site: 'shop.test' }, { text: 'Buy it now' }]);
    assert.deepEqual(faults, []);
  });

  it('in the inbox a person says what to change, and starts the plan that comes', { timeout: 240_000 }, async () => {
    const intents = [{ open: `${installation.shop.url}/` }, { finish: undefined }];
    model.think(planning((said) => [{ text: 'Open the shop' }, ...said.map((text) => ({ text }))], teacher(intents)));
    const sent = { prompt: 'Look around', planner: 'llm', confirm: 'plan' } as const;
    const { task_id: id } = await installation.client.sendChat(sent);
    await page.goto(`${installation.baseUrl}/inbox/${id}`);
    await page.getByRole('heading', { name: 'Is this plan right?' }).waitFor(soon);
    await looksWell(page, 'plan-in-inbox');
    await page.getByLabel('Say what to change').fill('Be quick');
    await page.getByRole('button', { name: 'Answer' }).click();
    await until(async () => (await statusOf(id)).question?.text.includes('Be quick') === true, 60_000);
    await page.goto(`${installation.baseUrl}/inbox/${id}`);
    await page.getByRole('textbox', { name: 'Item 2 of 2' }).waitFor(soon);
    assert.deepEqual(await texts(), ['Open the shop', 'Be quick']);
    await page.getByRole('button', { name: 'Start' }).click();
    await until(async () => (await statusOf(id)).status === 'success', 60_000);
    assert.deepEqual(faults, []);
  });

  it('an answer is one of the choices, and the wheel is taken where it is asked for', {
    timeout: 240_000,
  }, async () => {
    const ask = (input: object) => ({ call: { name: 'ask', input } });
    model.think(
      teacher([
        { open: `${installation.shop.url}/` },
        ask({ question: 'Which lantern?', kind: 'choice', choices: ['Brass', 'Copper'] }),
        ask({ question: 'Wrap it?', kind: 'yes_no' }),
        ask({ question: 'Log in, please.', kind: 'wheel' }),
        { finish: undefined },
      ]),
    );
    const { task_id: id, session_id } = await installation.client.sendChat({ prompt: 'Ask me', planner: 'llm' });
    await page.goto(`${installation.baseUrl}/sessions/${session_id}?task=${id}`);
    const card = page.getByTestId('open-question');
    await card.getByRole('button', { name: 'Copper' }).click(soon);
    await page.goto(`${installation.baseUrl}/inbox/${id}`);
    await page.getByRole('heading', { name: 'Wrap it?' }).waitFor(soon);
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.goto(`${installation.baseUrl}/sessions/${session_id}?task=${id}`);
    await card.filter({ hasText: 'Log in, please.' }).waitFor(soon);
    await looksWell(page, 'question-for-the-wheel');
    await card.getByRole('button', { name: 'Take the wheel' }).click();
    await page.locator('[data-testid=driver][data-state=you]').waitFor(soon);
    await page
      .getByTestId('driver')
      .getByRole('button', { name: /Hand back/ })
      .click();
    await until(async () => (await statusOf(id)).status === 'success', 60_000);
    const { result } = await statusOf(id);
    assert.deepEqual(
      result?.answers?.map(({ text }) => text),
      ['Copper', 'yes', 'The wheel was handed back.'],
    );
    assert.deepEqual(faults, []);
  });
});
