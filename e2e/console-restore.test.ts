// The session page with both of its streams blocked from the start: it shows everything from the session and its status alone.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContext } from 'playwright-core';
import { launchBrowser, openConsolePage } from '../testkit/console/console-page.ts';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import { fieldPlace, startTickingForm, type TickingForm } from '../testkit/pages/ticking-form.ts';
import { until } from '../testkit/until.ts';

const soonMs = 30_000;
const soon = { timeout: soonMs };

describe('the session page without any stream', () => {
  let installation: Installation;
  let site: TickingForm;
  let browser: Browser;
  let context: BrowserContext;
  before(async () => {
    [site, browser] = await Promise.all([startTickingForm(), launchBrowser()]);
    installation = await openInstallation('console-restore', { sites: [site.url] });
    context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    // With the worker that tabs share no route of the page is asked; without it they follow by themselves.
    await context.addInitScript(() => Reflect.deleteProperty(globalThis, 'SharedWorker'));
    const streams = /\/api\/(sessions\/[^/]+\/live|streams|tasks\/[^/]+\/(events|stream))/;
    await context.route(streams, (route) => route.abort());
  });
  after(async () => {
    await browser?.close();
    await installation?.close();
    await site?.close();
  });

  /** A task that has typed, and waits in its third step. */
  async function beginTask(path: string) {
    const { client } = installation;
    const { session_id, task_id } = await client.sendChat({
      prompt: 'Type and wait',
      steps: [
        { action: 'navigate', url: `${site.url}${path}` },
        { action: 'type', target: 'Field', text: 'lantern' },
        { action: 'wait', for: { text: 'Never said' }, timeout_secs: 120 },
      ],
    });
    await until(async () => (await client.getTaskStatus({ id: task_id })).status.current_step === 3, soonMs);
    return { session_id, task_id, address: `${installation.baseUrl}/sessions/${session_id}` };
  }

  it('shows picture, marks, progress and driver in the middle of a task, also after a reload', async () => {
    const { address, task_id } = await beginTask('/middle');
    const shown = await openConsolePage(context, address);
    const { page } = shown;
    for (const load of ['first', 'second']) {
      if (load === 'second') await page.reload();
      await shown.untilDriver(['agent'], soonMs);
      await page.locator('[data-testid=picture][data-frame]').waitFor(soon);
      await page.getByTestId('mark-box').waitFor(soon);
      await page.getByTestId('address').filter({ hasText: '/middle' }).waitFor(soon);
      await page.locator('[data-testid=step][data-state=done]').nth(1).waitFor(soon);
      await page.locator('[data-testid=step][data-state=running]').waitFor(soon);
    }
    assert.deepEqual([...shown.errors, ...(await shown.alarms())], []);
    await shown.close();
    await installation.client.cancelTask({ id: task_id });
  });

  it('shows the wheel to the person who has it, and sends what they type', async () => {
    const { address, task_id } = await beginTask('/wheel');
    const shown = await openConsolePage(context, address);
    const { page } = shown;
    await shown.untilDriver(['agent'], soonMs);
    await page.keyboard.press('Shift+W');
    await shown.untilDriver(['cut_off'], soonMs);
    await page.reload();
    await shown.untilDriver(['cut_off'], soonMs);
    assert.match(await shown.driverWords(), /Reconnecting, you keep the wheel/);
    await page.locator('[data-testid=picture][data-frame]').waitFor(soon);
    await page.getByTestId('page-keys').waitFor({ ...soon, state: 'attached' });
    await shown.clickAt(fieldPlace);
    await page.keyboard.type('!');
    await until(() => site.fieldOf('/wheel')?.includes('!') ?? false, soonMs);
    assert.deepEqual([...shown.errors, ...(await shown.alarms())], []);
    await shown.close();
    await installation.client.cancelTask({ id: task_id });
  });

  it('shows picture, progress and driver after the host was killed', async () => {
    const { stack, client } = installation;
    const { address, task_id, session_id } = await beginTask('/killed');
    const shown = await openConsolePage(context, address);
    const { page } = shown;
    await shown.untilDriver(['agent'], soonMs);
    await stack.kill('browser-1');
    await page.reload();
    await shown.untilDriver(['agent', 'recovered'], soonMs);
    await page.locator('[data-testid=picture][data-frame]').waitFor(soon);
    await page.locator('[data-testid=step][data-state=done]').nth(1).waitFor(soon);
    await stack.start('browser-1');
    await until(async () => (await client.getSession({ id: session_id })).snapshot.session.browser === 'live', 60_000);
    // Without streams the page shows the moment at which it was loaded, which may be before the next attempt.
    await until(async () => {
      await page.reload();
      await shown.untilDriver(['agent', 'recovered'], soonMs);
      await page.locator('[data-testid=picture][data-frame]').waitFor(soon);
      await page.locator('[data-testid=step][data-state=done]').nth(1).waitFor(soon);
      return (await page.locator('[data-testid=step][data-state=running]').count()) > 0;
    }, 60_000);
    assert.deepEqual([...shown.errors, ...(await shown.alarms())], []);
    await shown.close();
    await client.cancelTask({ id: task_id });
  });
});
