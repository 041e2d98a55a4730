import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContext, Page, Route } from 'playwright-core';
import { doubleApproval, orderAt } from '../testkit/console/approval-double.ts';
import { launchBrowser } from '../testkit/console/console-page.ts';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import { until } from '../testkit/until.ts';

/** Wide enough for a machine that is busy with other tests. */
const soon = { timeout: 30_000 };
const sizes = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];
/** Two noisy cores; what would hang for ever is what is looked for. */
const longestTaskMs = 5000;
const pictures = process.env.PICTURES;

const markup =
  '<img src=x onerror="window.hacked=1"><svg onload="window.hacked=1"><script>window.hacked=1</script>' +
  '"><a href="javascript:window.hacked=1">x</a>{{hacked}} \u202egpj.exe\u2066\u0007 [x](javascript:window.hacked=1)';
const long = `\u202e${'W'.repeat(100_000)}`;
const address = 'javascript:window.hacked=1//https://example.com/';

/** The fields of answers that hold words of pages, models and people. */
const words = new Set(
  `title label text message summary name current_step_title prompt last_error next_goal thinking note notice detail
  result_summary question content goal evaluation cut_reason refused tool model`.split(/\s+/),
);
const addresses = new Set(['url', 'current_url', 'href']);

describe('hostile texts', () => {
  let installation: Installation;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let ended: { session_id: string; task_id: string };
  let asks: { session_id: string; task_id: string };
  const faults: string[] = [];
  let payload = markup;
  let data: unknown = null;
  let fileName = markup;

  before(async () => {
    installation = await openInstallation('console-hostile', { disableAuth: true });
    const { client, shop } = installation;
    ended = await client.sendChat({
      prompt: markup,
      steps: [
        { action: 'navigate', url: `${shop.url}/?q=${encodeURIComponent(markup)}`, title: markup.slice(0, 200) },
        { action: 'extract', kind: 'text', as: 'page' },
      ],
    });
    await client.updateSession({ id: ended.session_id, title: markup.slice(0, 100) });
    asks = await client.sendChat({ prompt: markup, steps: [{ action: 'ask', question: markup }] });
    const stateOf = async (id: string) => (await client.getTaskStatus({ id })).status.status;
    await until(async () => (await stateOf(ended.task_id)) === 'success', soon.timeout);
    await until(async () => (await stateOf(asks.task_id)) === 'awaiting_user', soon.timeout);
    browser = await launchBrowser();
    context = await browser.newContext({ reducedMotion: 'reduce' });
    page = await openPage();
  });
  after(async () => {
    await browser?.close();
    await installation?.close();
  });

  async function openPage(): Promise<Page> {
    const opened = await context.newPage();
    await opened.exposeFunction('noteFault', (text: string) => void faults.push(text));
    await opened.addInitScript(() => {
      const seen = window as unknown as { noteFault: (text: string) => void; longest: number };
      seen.longest = 0;
      document.addEventListener('securitypolicyviolation', (event) =>
        seen.noteFault(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`),
      );
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) seen.longest = Math.max(seen.longest, duration);
      }).observe({ type: 'longtask', buffered: true });
    });
    opened.on('pageerror', (error) => faults.push(`error: ${error.message}`));
    opened.on('dialog', (dialog) => {
      faults.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    await opened.route(/\/api\/(?!.*(stream|live|events)(\?|$))/, poison);
    return opened;
  }

  /** Every answer is as if pages, models and people had chosen the worst words. */
  async function poison(route: Route): Promise<void> {
    const answer = await route.fetch().catch(() => undefined);
    if (!answer) return route.abort().catch(() => {});
    if (!/json/.test(answer.headers()['content-type'] ?? '')) return route.fulfill({ response: answer });
    const json = replace(await answer.json());
    return route.fulfill({ response: answer, json }).catch(() => {});
  }

  function replace(value: unknown, key = ''): unknown {
    if (typeof value === 'string') return words.has(key) ? payload : addresses.has(key) ? address : value;
    if (Array.isArray(value)) return value.map((one) => replace(one, key));
    if (typeof value !== 'object' || value === null) return value;
    const all = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, replace(inner, name)]));
    if (key !== 'result' || data === null) return all;
    const file = { file_id: ended.task_id, name: fileName, content_type: 'text/html', byte_len: 12, path: address };
    return { ...all, data, files: [file] };
  }

  async function isUnharmed(place: string, seen: Page = page): Promise<void> {
    for (const viewport of sizes) {
      await seen.setViewportSize(viewport);
      await seen.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => resolve(undefined))));
      if (pictures) await seen.screenshot({ path: join(pictures, `hostile-${place}-${viewport.width}.png`) });
      const { tooWide, hacked, links, longest } = await seen.evaluate(() => {
        const own = window as unknown as { hacked?: number; longest: number };
        return {
          tooWide: document.documentElement.scrollWidth - window.innerWidth,
          hacked: own.hacked,
          links: document.querySelectorAll('a[href^="javascript:" i], #root script, #root img[src="x"]').length,
          longest: own.longest,
        };
      });
      const where = `${place} at ${viewport.width}`;
      assert.equal(hacked, undefined, where);
      assert.equal(links, 0, where);
      assert.ok(tooWide <= 0, `${where} is ${tooWide} px too wide`);
      assert.ok(longest < longestTaskMs, `${where} held up the page for ${longest} ms`);
    }
    assert.deepEqual(faults, [], place);
  }

  const open = async (path: string, shown: () => Promise<unknown>) => {
    await page.goto(`${installation.baseUrl}${path}`);
    await shown();
  };
  const session = ({ session_id, task_id }: typeof ended, search = '') =>
    open(`/sessions/${session_id}?task=${task_id}${search}`, () => page.getByTestId('task-head').waitFor(soon));

  for (const [kind, text] of [
    ['markup', markup],
    ['100,000 characters', long],
  ] as const) {
    const short = kind === 'markup' ? 'markup' : 'long';

    it(`${kind}: lists, palette and settings`, { timeout: 120_000 }, async () => {
      payload = text;
      // The inbox lays out a whole question, of which the server takes at most 2,000 characters.
      const inbox = kind === 'markup' ? ['/inbox', `/inbox/${asks.task_id}`] : [];
      for (const path of ['/', '/sessions', '/settings/profiles', '/settings/logins', ...inbox]) {
        await open(path, () => page.getByRole('heading', { level: 1 }).first().waitFor(soon));
        await isUnharmed(`${short}${path.slice(0, 12).replaceAll('/', '-')}`);
      }
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').waitFor(soon);
      await isUnharmed(`${short}-palette`);
    });

    it(`${kind}: session, question, results, files and drawer`, { timeout: 180_000 }, async () => {
      payload = markup;
      fileName = text;
      data = null;
      await session(asks);
      await page.getByTestId('open-question').waitFor(soon);
      await isUnharmed(`${short}-question`);
      await session(ended, '&tab=steps');
      await isUnharmed(`${short}-steps`);
      const results: Record<string, unknown> = {
        text,
        table: Array.from({ length: 50 }, () => ({ [text]: text, constructor: text, size: 1 })),
        json: { [text]: { [text]: [text, [[[[[[[[[[text]]]]]]]]]]] } },
      };
      for (const [form, given] of Object.entries(results)) {
        data = given;
        await session(ended, '&tab=result');
        await page.getByTestId('result').waitFor(soon);
        await isUnharmed(`${short}-result-${form}`);
      }
      await session(ended, '&tab=files');
      await page.getByTestId('files').first().waitFor(soon);
      await isUnharmed(`${short}-files`);
      for (const drawer of ['logs', 'executions', 'events', 'files', 'settings']) {
        // A narrow page has no drawer.
        await page.setViewportSize({ width: 1440, height: 900 });
        await session(ended, `&drawer=${drawer}`);
        await page.getByTestId('drawer').waitFor(soon);
        await isUnharmed(`${short}-drawer-${drawer}`);
      }
    });

    it(`${kind}: a message that something was refused, and the page of a guest`, { timeout: 120_000 }, async () => {
      payload = markup;
      data = null;
      await session(ended, '&tab=steps');
      const problem = { type: 'about:blank', code: 'conflict', title: text, status: 409, detail: text, message: text };
      const refuse = (route: Route) =>
        route.fulfill({ status: 409, contentType: 'application/problem+json', json: problem });
      await page.route('**/api/tasks/*/rerun', refuse);
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.getByRole('button', { name: 'Run again' }).click();
      await page.getByRole('button', { name: 'Close', exact: true }).first().waitFor(soon);
      await isUnharmed(`${short}-toast`);
      await page.unroute('**/api/tasks/*/rerun', refuse);
      const { share } = await installation.client.shareSession({ id: ended.session_id });
      const guest = await openPage();
      await guest.goto(new URL(share.share_path, installation.baseUrl).href);
      await guest.getByTestId('picture').first().waitFor(soon);
      await isUnharmed(`${short}-share`, guest);
      await guest.close();
    });
  }

  it('the words of a model: goal, check, thinking, refusals, at any length', { timeout: 120_000 }, async () => {
    const call = {
      ...{ number: 1, model: '', ms: 1, input_tokens: 9, cached_tokens: 0, output_tokens: 9 },
      ...{ reasoning_tokens: 0, cost_micros: 9 },
    };
    const decision = {
      ...{ number: 1, decided_at: '2026-01-02T03:04:05.678Z', status: 'cut', cut_reason: '', evaluation: '', goal: '' },
      ...{ thinking: '', url: null, read_messages: 0, call },
      actions: [{ tool: '', input: {}, step_ids: ['step-1'], refused: '' }],
    };
    const asModel = async (route: Route) => {
      const answer = await route.fetch();
      const { status, ...rest } = (await answer.json()) as { status: object };
      return route.fulfill({ response: answer, json: { ...rest, status: { ...status, total_steps: null } } });
    };
    let said = markup;
    const decisions = (route: Route) => {
      payload = said;
      const json = replace({ success: true, decisions: [decision], next_cursor: null });
      payload = markup;
      return route.fulfill({ json });
    };
    await page.route('**/api/tasks/*/status', asModel);
    const view = (route: Route) => {
      const shown = { number: 1, decided_at: decision.decided_at, url: said, text: said, picture: null };
      return route.fulfill({ json: { success: true, view: shown } });
    };
    await page.route('**/api/tasks/*/decisions?*', decisions);
    await page.route('**/api/tasks/*/decisions/1/view', view);
    payload = markup;
    data = null;
    for (const [name, text] of Object.entries({ markup, long })) {
      said = text;
      await session(ended, '&tab=steps');
      await page.getByTestId('decision').getByRole('button', { name: 'Thinking' }).click(soon);
      await page.getByTestId('decision').getByRole('button', { name: 'What it saw' }).click(soon);
      await page.getByLabel('What the model saw').waitFor(soon);
      await isUnharmed(`model-${name}`);
    }
    await page.unroute('**/api/tasks/*/status', asModel);
    await page.unroute('**/api/tasks/*/decisions?*', decisions);
    await page.unroute('**/api/tasks/*/decisions/1/view', view);
  });

  it('an act that a person is asked about: names, values, amounts, addresses, verdicts', {
    timeout: 180_000,
  }, async () => {
    payload = markup;
    data = null;
    const hostile = (text: string) =>
      orderAt(text, {
        ...{ why: text, action: `Click "${text}"`, role: text, name: text, value: text, secret: text },
        ...{ frame_origin: text, form_action: `javascript:window.hacked=1//${text}`, amounts: Array(20).fill(text) },
        ...{ bbox: { x: -1e9, y: 10, width: 1e12, height: 20 }, picture_path: address, void_reason: text },
      });
    for (const [name, text] of Object.entries({ markup, long, address })) {
      const double = await doubleApproval(page, hostile(text));
      double.verdict = { class: 'commit', outcome: 'ask', sentence: text, approved_by: text };
      await session(asks);
      const card = page.getByTestId('approval');
      await card.waitFor(soon);
      await isUnharmed(`approval-${name}`);
      const more = card.getByRole('button', { name: 'more' });
      if (name === 'long') await more.first().click();
      await isUnharmed(`approval-${name}-more`);
      assert.equal(await card.locator('a').count(), 0, 'no address is a link');
      assert.equal(await card.locator('dd [dir=auto]').count(), await card.locator('dd').count());
      await open(`/inbox/${asks.task_id}`, () => card.waitFor(soon));
      await isUnharmed(`approval-${name}-inbox`);
      await open('/', () => page.getByRole('region', { name: 'Needs you' }).waitFor(soon));
      await isUnharmed(`approval-${name}-home`);
      await page.setViewportSize({ width: 1440, height: 900 });
      await session(ended, '&tab=steps&drawer=executions');
      await page.getByTestId('timeline').getByTestId('verdict').first().waitFor(soon);
      await page.getByTestId('drawer').getByTestId('verdict').first().waitFor(soon);
      await isUnharmed(`approval-${name}-verdict`);
      await double.close();
    }
  });

  it('10,000 rows are a table of few elements, which scrolls to its end', { timeout: 60_000 }, async () => {
    payload = markup;
    data = Array.from({ length: 10_000 }, (_, index) => ({ name: `Lantern ${index + 1}`, price: index }));
    await session(ended, '&tab=result');
    const table = page.getByTestId('result-table');
    await table.getByText('Lantern 1', { exact: true }).waitFor(soon);
    assert.ok((await table.locator('tr').count()) < 100);
    await table.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await table.getByText('Lantern 10000', { exact: true }).waitFor(soon);
    assert.ok((await table.locator('tr').count()) < 100);
    await isUnharmed('rows');
  });
});
