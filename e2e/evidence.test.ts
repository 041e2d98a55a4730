import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { EvidenceLine, EvidenceRecord } from '@pilothouse/contract';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../testkit/console/console-page.ts';
import { looksWell } from '../testkit/console/looks-well.ts';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import { root } from '../testkit/stack/folders.ts';

const soon = { timeout: 60_000 };

describe('the evidence of a task that an agent did', () => {
  let installation: Installation;
  let browser: Browser;
  before(async () => {
    installation = await openInstallation('evidence', { disableAuth: true });
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await installation?.close();
  });

  it('is saved by the console, and verified by the command', { timeout: 180_000 }, async () => {
    const { client, shop, baseUrl } = installation;
    const { session_id, task_id } = await client.sendChat({
      prompt: 'Find a lantern',
      steps: [
        { action: 'navigate', url: `${shop.url}/` },
        { action: 'type', target: 'Search', text: 'lantern' },
        { action: 'screenshot' },
      ],
    });
    for await (const _ of client.followTask({ id: task_id }, { signal: AbortSignal.timeout(90_000) }));

    const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
    await page.goto(`${baseUrl}/sessions/${session_id}?task=${task_id}&drawer=files`);
    const button = page.getByRole('button', { name: 'Download evidence' });
    await button.waitFor(soon);
    await looksWell(page, 'session-drawer-files');
    const [download] = await Promise.all([page.waitForEvent('download', soon), button.click()]);
    assert.equal(download.suggestedFilename(), `evidence-${task_id}.ndjson`);
    const file = await download.path();

    const lines = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as EvidenceLine);
    const acts = lines.filter((line): line is EvidenceRecord => 'kind' in line && line.kind === 'act');
    assert.deepEqual(
      acts.map(({ body }) => [body.action, body.status]),
      [
        ['navigate', 'success'],
        ['type', 'success'],
        ['screenshot', 'success'],
      ],
    );
    for (const { body } of acts) {
      const { after: shown } = body.pictures as { after: { sha256?: string } | null };
      assert.match(shown?.sha256 ?? '', /^[0-9a-f]{64}$/, `a picture after ${String(body.action)}`);
    }
    const { keys } = await client.listEvidenceKeys();
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['packages/evidence/src/verify.main.ts', 'verify', file, '--key', keys[0]?.public_key ?? ''],
      { cwd: root, encoding: 'utf8', timeout: 60_000 },
    );
    assert.equal(status, 0, stdout + stderr);
    assert.match(stdout, /^UNCHANGED: .*3 act.* finished, .* which you named\.\n$/);
  });
});
