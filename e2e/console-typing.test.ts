// A person types 200 characters in the console while they load the page again, go on in another tab, and lose the network.
// `NETWORK_LOSS_SECS` says for how long (5).
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContext } from 'playwright-core';
import { startBusProxy } from '../testkit/bus-proxy.ts';
import { type ConsolePage, launchBrowser, openConsolePage } from '../testkit/console/console-page.ts';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import { fieldPlace, startTickingForm, type TickingForm } from '../testkit/pages/ticking-form.ts';
import { until } from '../testkit/until.ts';

const lossMs = 1000 * Number(process.env.NETWORK_LOSS_SECS ?? 5);
const soonMs = 30_000;
/** Each of the 50 numbers differs, so that the order shows. */
const text = Array.from({ length: 50 }, (_, index) => `${String(index).padStart(3, '0')} `).join('');

describe('a person types in the console', () => {
  let installation: Installation;
  let site: TickingForm;
  let browser: Browser;
  let context: BrowserContext;
  let proxy: Awaited<ReturnType<typeof startBusProxy>>;
  before(async () => {
    [site, proxy, browser] = await Promise.all([startTickingForm(), startBusProxy(), launchBrowser()]);
    installation = await openInstallation('typing', { sites: [site.url] });
    context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  });
  after(async () => {
    await browser?.close();
    await installation?.close();
    await Promise.all([site?.close(), proxy?.close()]);
  });

  const hasKeys = ({ page }: ConsolePage) =>
    until(() => page.evaluate(() => document.activeElement?.getAttribute('data-testid') === 'page-keys'), soonMs);
  const type = ({ page }: ConsolePage, from: number, to: number, delay = 20) =>
    page.keyboard.type(text.slice(from, to), { delay });

  it('and each character arrives once and in order, through a reload, in another tab, and without a network', async () => {
    const path = '/typed';
    const { session } = await installation.client.createSession();
    const address = `${proxy.to(installation.baseUrl).replace('nats:', 'http:')}/sessions/${session.id}`;
    const first = await openConsolePage(context, address);
    await first.page.getByRole('button', { name: 'Open and drive' }).click({ timeout: soonMs });
    await first.untilDriver(['you'], soonMs);
    await first.visit(`${site.url}${path}`);
    await until(() => site.loadsOf(path) > 0, soonMs);
    await first.clickAt(fieldPlace);

    await type(first, 0, 50);
    // At once, while the last characters are on their way.
    await first.page.reload();
    await first.untilDriver(['you'], soonMs);
    await hasKeys(first);
    await type(first, 50, 100);

    const second = await openConsolePage(context, address);
    await second.untilDriver(['another_tab'], soonMs);
    await second.page.getByRole('button', { name: 'Drive here' }).click();
    await second.untilDriver(['you'], soonMs);
    await hasKeys(second);
    await type(second, 100, 140);
    await first.untilDriver(['another_tab'], soonMs);

    const cut = proxy.cut(lossMs);
    await type(second, 140, 180, 60);
    await second.untilDriver(['cut_off'], soonMs);
    assert.match(await second.driverWords(), /Reconnecting, you keep the wheel.*inputs? waits?.*sent once/);
    await cut;
    await type(second, 180, 200);

    const isThere = () => site.fieldOf(path) === text;
    await until(isThere, soonMs).catch(() => assert.equal(site.fieldOf(path), text));
    await second.untilDriver(['you'], soonMs);
    await second.untilLive(soonMs);
    assert.deepEqual(await second.faults(), []);
    assert.deepEqual([...first.errors, ...(await first.alarms())], []);
    await installation.client.resumeSessionTakeover({ id: session.id });
  });
});
