import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { EvidenceLine, EvidenceRecord } from '@pilothouse/contract';
import { type Browser, chromium, type Page } from 'playwright-core';
import { launchBrowser } from '../testkit/console/console-page.ts';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import { listen } from '../testkit/listen.ts';
import { root } from '../testkit/stack/folders.ts';
import { until } from '../testkit/until.ts';

const soon = { timeout: 30_000 };
const desk = `<!doctype html><title>Desk</title><button onclick="out.value = Number(out.value) + 1">Count</button>
<label>Name <input></label><label>Password <input type=password></label><output id=out>0</output>`;

describe('what a program does over the DevTools protocol', () => {
  let installation: Installation;
  let site: Awaited<ReturnType<typeof listen>>;
  let watcher: Browser;
  before(async () => {
    site = await listen(createServer((_, response) => response.setHeader('content-type', 'text/html').end(desk)));
    installation = await openInstallation('cdp-ledger', { sites: [site.url] });
    watcher = await launchBrowser();
  });
  after(async () => {
    await watcher?.close();
    await installation?.close();
    await site?.close();
  });

  /** A program at the page of the desk. */
  async function connect() {
    const { client } = installation;
    const { session } = await client.createSession();
    const { cdp } = await client.openProgramAccess({ id: session.id });
    const browser = await chromium.connectOverCDP(cdp.ws_url, { timeout: 40_000 });
    const page = browser.contexts()[0]?.pages()[0] ?? assert.fail('no page');
    page.setDefaultTimeout(10_000);
    await until(async () => (await page.goto(site.url).catch(() => null)) !== null, 15_000);
    return { id: session.id, browser, page };
  }
  const taskOf = async (id: string): Promise<string> => {
    let taskId: string | null = null;
    await until(async () => {
      taskId = (await installation.client.getSession({ id })).snapshot.session.last_task_id;
      return taskId !== null;
    }, 10_000);
    return taskId ?? assert.fail('no task');
  };
  const statusOf = async (id: string) => (await installation.client.getTaskStatus({ id })).status;
  const ended = async (id: string) => {
    await until(async () => (await statusOf(id)).finished_at !== null, 30_000);
    return statusOf(id);
  };
  async function act(page: Page, count: number): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      await page.getByRole('button', { name: 'Count' }).click();
      await page.getByLabel('Name').fill(`name ${n}`);
    }
  }
  async function stepsOf(id: string) {
    const { executions } = await installation.client.listExecutions({ id });
    return executions.flatMap(({ steps }) => steps);
  }

  it('stands in a task: fifty acts in order, in the console, in a bundle that verifies', {
    timeout: 180_000,
  }, async () => {
    const { client, baseUrl } = installation;
    const { id, browser, page } = await connect();
    const taskId = await taskOf(id);
    const view = await watcher.newPage({ viewport: { width: 1440, height: 900 } });
    await view.goto(`${baseUrl}/sessions/${id}`);
    await act(page, 24);
    await view
      .getByTestId('mark-label')
      .filter({ hasText: /Count|Name/ })
      .first()
      .waitFor(soon);
    await page.getByLabel('Password').fill('never to be stored');
    await page.getByLabel('Password').press('Enter');
    await view.getByTestId('step').filter({ hasText: 'Type into textbox "Password"' }).first().waitFor(soon);
    const running = await statusOf(taskId);
    assert.equal(running.status, 'running');
    assert.ok(running.recent_evidence.length > 0, 'there are pictures');
    await browser.close();

    const status = await ended(taskId);
    assert.deepEqual([status.status, status.last_error], ['success', null]);
    const steps = (await stepsOf(taskId)).filter(({ action }) => action !== 'navigate');
    const [count, name] = ['Click button "Count"', 'Type into textbox "Name"'];
    const expected = [
      ...Array.from({ length: 24 }, () => [count, name]).flat(),
      'Type into textbox "Password"',
      'Press Enter',
    ];
    assert.deepEqual(
      steps.map(({ title }) => title),
      expected,
    );
    assert.ok(steps.every((step) => step.status === 'success'));
    const { task } = await client.getTask({ id: taskId });
    assert.equal(task.settings.steps_by, 'program');
    const stored = JSON.stringify([task, await client.listLogs({ id: taskId, limit: 200 })]);
    assert.ok(!stored.includes('never to be stored'));
    assert.ok(stored.includes('name 23'), 'what is no secret stands in the plan');
    await assert.rejects(client.rerunTask({ id: taskId }), { code: 'conflict' });

    await verified(taskId, expected.length);
    await view.close();
  });

  async function verified(taskId: string, least: number): Promise<void> {
    const { baseUrl, client } = installation;
    const text = await (await fetch(`${baseUrl}/api/tasks/${taskId}/evidence`)).text();
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as EvidenceLine);
    const acts = lines.filter((line): line is EvidenceRecord => 'kind' in line && line.kind === 'act');
    assert.ok(acts.length >= least, `${acts.length} acts`);
    assert.ok(!text.includes('never to be stored'));
    const folder = await mkdtemp(join(tmpdir(), 'pilothouse-bundle-'));
    const file = join(folder, 'bundle.ndjson');
    writeFileSync(file, text);
    const { keys } = await client.listEvidenceKeys();
    const verify = ['packages/evidence/src/verify.main.ts', 'verify', file, '--key', keys[0]?.public_key ?? ''];
    const { status, stdout, stderr } = spawnSync(process.execPath, verify, {
      cwd: root,
      encoding: 'utf8',
      timeout: 60_000,
    });
    await rm(folder, { recursive: true });
    assert.equal(status, 0, stdout + stderr);
  }

  it('goes on in the same task after a takeover by the task, and says what was refused', {
    timeout: 120_000,
  }, async () => {
    const { client } = installation;
    const { id, browser, page } = await connect();
    const taskId = await taskOf(id);
    const { takeover } = await client.signalTakeover({ id: taskId });
    assert.ok(takeover);
    await until(async () => (await statusOf(taskId)).takeover?.status === 'active', 10_000);
    await assert.rejects(page.mouse.click(20, 20), /a person drives/);
    await client.resumeTakeover({ id: taskId });
    await until(
      async () =>
        (await page
          .locator('button')
          .count()
          .catch(() => 0)) === 1,
      15_000,
    );
    await page.getByRole('button', { name: 'Count' }).click();
    await browser.close();
    assert.equal((await ended(taskId)).status, 'success');
    const steps = await stepsOf(taskId);
    assert.ok(steps.some(({ error }) => /a person drives/.test(error ?? '')));
    assert.deepEqual([steps.at(-1)?.title, steps.at(-1)?.status], ['Click button "Count"', 'success']);
  });

  it('ends with a cancel, which disconnects the program', { timeout: 120_000 }, async () => {
    const { id, browser } = await connect();
    const taskId = await taskOf(id);
    const gone = new Promise<void>((resolve) => browser.once('disconnected', () => resolve()));
    await installation.client.cancelTask({ id: taskId, reason: 'enough' });
    await gone;
    assert.deepEqual([(await statusOf(taskId)).status, (await statusOf(taskId)).last_error], ['cancelled', 'enough']);
  });

  it('ends also when the server is killed, with what was reported until then', { timeout: 180_000 }, async () => {
    const { stack } = installation;
    const { id, browser, page } = await connect();
    const taskId = await taskOf(id);
    await act(page, 3);
    await until(async () => (await stepsOf(taskId)).length >= 6, 10_000);
    const gone = new Promise<void>((resolve) => browser.once('disconnected', () => resolve()));
    await stack.kill('server-1');
    await gone;
    await stack.start('server-1');
    await until(
      () =>
        statusOf(taskId).then(
          () => true,
          () => false,
        ),
      30_000,
    );
    const status = await ended(taskId);
    assert.equal(status.status, 'failed');
    assert.match(status.last_error ?? '', /connection of the program was lost/);
    assert.ok((await stepsOf(taskId)).length >= 6);
  });
});
