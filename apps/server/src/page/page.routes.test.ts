import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import Fastify, { type FastifyInstance } from 'fastify';
import { type Browser, chromium, type Page } from 'playwright-core';
import { sendProblem } from '../http/problem.ts';
import { servePage } from './page.routes.ts';

const session = '01890000-0000-7000-8000-000000000001';
const task = '01890000-0000-7000-8000-000000000002';
const at = '2026-01-02T03:04:05.678Z';
const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const route = { session, page: 'p1', frame: null, url: 'http://127.0.0.1:9/shop', title: 'Shop' };

/** A window of 1280 by 800 CSS pixels, in a picture of twice that. */
const snapshot = {
  session: { id: session, status: 'active', browser: 'live', last_task_id: task },
  last_frame: {
    frame_id: 'f1',
    recorded_at: at,
    content_type: 'image/png',
    width: 2560,
    height: 1600,
    device_scale: 2,
    screenshot_base64: dot,
    route,
  },
  overlays: [
    { overlay_id: 'o1', seq: 3, label: 'open', bbox: null, point: null },
    {
      overlay_id: 'o2',
      seq: 7,
      label: 'click "Buy"',
      bbox: { x: 320, y: 400, width: 128, height: 80 },
      point: { x: 384, y: 440 },
    },
  ],
  route_summary: { current: route, pages: [route], history: [] },
  message_state: { task_prompt: 'open 127.0.0.1:9/shop\nclick "Buy"\nscreenshot', items: [], pending_question: null },
  cursor: 'c7',
};
const history = (step_index: number, status: string, message: string | null = null) => ({
  step_index,
  title: `title ${step_index}`,
  status,
  message,
  run_ms: 100,
});
const status = {
  status: 'failed',
  total_steps: 3,
  current_step: 2,
  current_step_title: 'title 2',
  started_at: at,
  finished_at: at,
  last_error: 'Nothing is called “Buy”.',
  question: null,
  agent_history: [history(1, 'success'), history(2, 'failed', 'Nothing is called “Buy”.')],
  cursor: 'c7',
};

describe('the page', () => {
  let app: FastifyInstance;
  let baseUrl: string;
  let browser: Browser;
  before(async () => {
    app = Fastify();
    app.setErrorHandler(sendProblem);
    app.setNotFoundHandler((request, reply) => sendProblem({ statusCode: 404 }, request, reply));
    await servePage(app);
    baseUrl = await app.listen({ port: 0, host: '127.0.0.1' });
    // Our own page on loopback: the sandbox, which root cannot have, is not needed.
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium-headless-shell', args: ['--no-sandbox'] });
  });
  after(async () => {
    await browser.close();
    await app.close();
  });

  const openPage = async (hash = '', prepare?: (page: Page) => Promise<void>) => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    const elsewhere: string[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.protocol.startsWith('http') && url.origin !== baseUrl) elsewhere.push(request.url());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      const isApi = message.location().url.includes('/api/') || message.text().includes('live:');
      if (!isApi) complaints.push(message.text());
    });
    await prepare?.(page);
    await page.goto(`${baseUrl}/classic${hash}`, { waitUntil: 'networkidle' });
    return { page, elsewhere, complaints };
  };

  /** Routes of a page do not apply to the SharedWorker of its tabs; without the worker the page follows by itself. */
  const withoutWorker = (page: Page) =>
    page.addInitScript(() => void Reflect.deleteProperty(globalThis, 'SharedWorker'));

  it('loads from its own origin only, without errors', async () => {
    const { page, elsewhere, complaints } = await openPage();
    await page.getByTestId('script').fill('open example.com\ndance');
    await page.getByTestId('script').press('Control+Enter');
    await page.getByText('Line 2: “dance”').waitFor({ timeout: 5000 });
    await page.keyboard.type('click "x" ');
    assert.equal(await page.getByTestId('script').inputValue(), 'open example.com\nclick "x" dance');
    await page.getByLabel('Script, one instruction a line').fill('screenshot');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('There is no such session or task').waitFor({ timeout: 5000 });
    assert.deepEqual(elsewhere, []);
    assert.deepEqual(complaints, []);
    await page.close();
  });

  it('restores view and progress from detail and status alone, with both streams blocked', async () => {
    const { page, complaints } = await openPage(`#session=${session}&task=${task}`, async (blocked) => {
      await withoutWorker(blocked);
      await blocked.route('**/api/**', (call) => call.abort());
      await blocked.route(`**/api/sessions/${session}`, (call) => call.fulfill({ json: { success: true, snapshot } }));
      await blocked.route('**/status', (call) => call.fulfill({ json: { success: true, status } }));
    });
    await page.getByTestId('status').filter({ hasText: 'Failed in 0.0 s: Nothing is called “Buy”.' }).waitFor();
    const states = await page
      .getByTestId('steps')
      .locator('li')
      .evaluateAll((rows) => rows.map((row) => [row.dataset.state, row.querySelector('.title')?.textContent]));
    assert.deepEqual(states, [
      ['success', 'title 1'],
      ['failed', 'title 2'],
      ['pending', 'screenshot'],
    ]);
    assert.equal(await page.getByTestId('script').inputValue(), snapshot.message_state.task_prompt);
    assert.equal(await page.getByTestId('url').textContent(), route.url);
    await page
      .getByTestId('connection')
      .filter({ hasText: /^reconnecting, showing the frame of / })
      .waitFor();

    for (const width of [1280, 900]) {
      await page.setViewportSize({ width, height: 800 });
      const frame = await page.getByTestId('frame').boundingBox();
      const box = await page.getByTestId('overlay').locator('.box').boundingBox();
      assert.ok(frame && box && frame.width > 400);
      const near = (actual: number, expected: number) =>
        assert.ok(Math.abs(actual - expected) < 1.5, `${actual}, not ${expected}`);
      near(frame.width / frame.height, 1.6);
      near(box.x - frame.x, frame.width / 4);
      near(box.y - frame.y, frame.height / 2);
      near(box.width, frame.width / 10);
    }
    assert.deepEqual(complaints, []);
    await page.close();
  });

  it('shows a button for each answer that a question takes, and sends the one that is pressed', async () => {
    const options = ['done', 'repeat', 'stop'];
    const question = { text: 'Was it done?', step_id: 'step-2', asked_at: at, expires_at: null, until: null, options };
    const asking = { ...status, status: 'awaiting_user', finished_at: null, last_error: null, question };
    const sent: unknown[] = [];
    const { page, complaints } = await openPage(`#session=${session}&task=${task}`, async (blocked) => {
      await withoutWorker(blocked);
      await blocked.route('**/api/**', (call) => call.abort());
      await blocked.route('**/status', (call) => call.fulfill({ json: { success: true, status: asking } }));
      await blocked.route('**/user_takeover', (call) => {
        sent.push(call.request().postDataJSON());
        return call.fulfill({ json: { success: true, status: asking, takeover: null } });
      });
    });
    await page.getByTestId('status').filter({ hasText: 'Waiting for a person: Was it done?' }).waitFor();
    const names = await page.getByTestId('answers').getByRole('button').allTextContents();
    assert.deepEqual(names, ['It was done, go on', 'Do it again', 'Stop the task']);
    const answered = page.waitForResponse('**/user_takeover');
    await page.getByRole('button', { name: 'Do it again' }).click();
    await answered;
    assert.deepEqual(sent, [{ answer: 'repeat', asked_at: at }]);
    assert.deepEqual(complaints, []);
    await page.close();
  });

  it('shows a share, sends its token to two routes only, and shows nothing once the share is over', async () => {
    const asked: { url: string; token: string | undefined }[] = [];
    let isOver = false;
    const problem = {
      type: 'about:blank',
      title: 'x',
      status: 401,
      detail: 'x',
      success: false,
      code: 'token_invalid',
    };
    const refusal = { status: 401, contentType: 'application/problem+json', json: { ...problem, request_id: 'r' } };
    const { page, complaints } = await openPage(`#session=${session}&share=phs_sesame&task=${task}`, async (shared) => {
      await withoutWorker(shared);
      shared.on('request', (request) => {
        asked.push({ url: request.url(), token: request.headers()['x-share-token'] });
      });
      await shared.route('**/api/**', (call) => call.abort());
      await shared.route(`**/api/sessions/${session}`, (call) => call.fulfill({ json: { success: true, snapshot } }));
      await shared.route(`**/api/sessions/${session}/live*`, (call) => (isOver ? call.fulfill(refusal) : call.abort()));
    });
    await page.getByTestId('frame').waitFor({ state: 'visible' });
    assert.equal(await page.getByTestId('script').isVisible(), false);
    isOver = true;
    await page.getByText('This link is not valid, or no longer.').waitFor({ timeout: 20_000 });
    assert.equal(await page.getByTestId('frame').isVisible(), false);

    const told = asked.filter(({ token }) => token !== undefined);
    assert.ok(told.every(({ url, token }) => token === 'phs_sesame' && url.includes(`/api/sessions/${session}`)));
    assert.ok(told.length >= 3);
    assert.ok(asked.every(({ url }) => !url.includes('sesame') && !url.includes('/api/tasks/')));
    assert.deepEqual(complaints, []);
    await page.close();
  });

  it('serves only files that the page needs', async () => {
    const hidden = [
      '/page/',
      '/page/app/page.routes.ts',
      '/page/app/page.html',
      '/page/sdk/client.test.ts',
      '/page/sdk/../package.json',
      '/page/sdk/%2e%2e/package.json',
      '/page/sdk/..%2fpackage.json',
      '/page/sdk/..%5cpackage.json',
      '/page/sdk//index.ts',
      '/page/sdk/index.ts%00',
      '/page/contract/..%2f..%2f..%2fpackage.json',
      '/page/%2fetc%2fpasswd',
      '/page/app/..%2f..%2f..%2f..%2f..%2f..%2fetc%2fpasswd',
      '/page/constructor',
      '/page/zod/package.json',
    ];
    for (const url of hidden) {
      const answer = await app.inject({ url });
      assert.equal(answer.statusCode, 404, url);
      assert.equal(answer.json().code, 'not_found', url);
    }
  });

  it('sends content types, caching and a content security policy', async () => {
    const page = await app.inject({ url: '/classic' });
    assert.match(String(page.headers['content-type']), /^text\/html/);
    const policy = String(page.headers['content-security-policy']);
    assert.match(policy, /^default-src 'self'; script-src 'self' 'sha256-[^ ]+'; img-src 'self' data: blob:;/);
    assert.doesNotMatch(policy, /unsafe/);

    const script = await app.inject({ url: '/page/sdk/index.ts' });
    assert.match(String(script.headers['content-type']), /^text\/javascript/);
    assert.equal(script.headers['cache-control'], 'no-cache');
    const again = await app.inject({
      url: '/page/sdk/index.ts',
      headers: { 'if-none-match': String(script.headers.etag) },
    });
    assert.equal(again.statusCode, 304);

    const [zod] = /zod-[^/]+/.exec(page.body) ?? [];
    const library = await app.inject({ url: `/page/${zod}/index.js` });
    assert.match(String(library.headers['cache-control']), /immutable/);
  });
});
