import assert from 'node:assert/strict';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { getPriority, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { until } from '../../../../testkit/until.ts';
import { chromiumPids, pidsOfUser } from '../../testing/processes.ts';
import { launchChromium } from './launch.ts';
import { createUsers } from './unix-users.ts';

const shell = '/usr/lib/chromium/chromium-headless-shell';
const isRoot = process.getuid?.() === 0;
const users = createUsers({ firstUid: isRoot ? 34_100 : undefined, count: 4 });

describe('a Chromium that we start', () => {
  let parent: string;
  before(async () => {
    parent = await mkdtemp(join(tmpdir(), 'pilothouse-launch-'));
    await chmod(parent, 0o711);
  });
  after(() => rm(parent, { recursive: true, force: true }));
  const launch = (path = shell, timeoutMs = 20_000) =>
    launchChromium({ path, parent, users, hasSandbox: true, timeoutMs });
  const left = async () => (await readdir(parent)).filter((name) => name.startsWith('s-'));
  const script = async (name: string, line: string) => {
    const path = join(parent, name);
    await writeFile(path, `#!/bin/sh\n${line}\n`, { mode: 0o755 });
    return path;
  };

  it('is driven by its pipe and listens nowhere', { skip: !isRoot }, async () => {
    const chromium = await launch();
    try {
      const page = await chromium.browser.newPage();
      assert.equal(await page.evaluate('1 + 1'), 2);
      assert.ok((await pidsOfUser(chromium.uid ?? 0)).includes(chromium.pid));
      const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8')));
      const listening = tables
        .flatMap((table) => table.split('\n'))
        .map((line) => line.trim().split(/\s+/))
        .filter((columns) => columns[3] === '0A' && columns[7] === String(chromium.uid));
      assert.deepEqual(listening, []);
    } finally {
      await chromium.close();
    }
  });

  it('comes after servers, agents and hosts where processors are short, with all its processes', async () => {
    const chromium = await launch();
    try {
      await chromium.browser.newPage();
      const pids = chromium.uid === undefined ? await chromiumPids(parent) : await pidsOfUser(chromium.uid);
      assert.ok(pids.includes(chromium.pid));
      // Some of its threads it puts lower by itself.
      for (const pid of pids) assert.equal(getPriority(pid), getPriority() + 5, `${pid}`);
      const group = await readFile(`/proc/${chromium.pid}/autogroup`, 'utf8').catch(() => undefined);
      if (group) assert.match(group, /nice 5$/m);
    } finally {
      await chromium.close();
    }
  });

  it('puts what it downloads into its own folder', async () => {
    const chromium = await launch();
    try {
      const page = await chromium.browser.newPage();
      await page.setContent('<a download="a.txt" href="data:text/plain,kept">Get</a>');
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByText('Get').click()]);
      const path = await download.path();
      assert.equal(dirname(path), chromium.downloads);
      assert.equal((await stat(path)).uid, chromium.uid ?? process.getuid?.());
      assert.equal(await readFile(path, 'utf8'), 'kept');
    } finally {
      await chromium.close();
    }
  });

  it('is noticed when it dies, and leaves nothing once it is closed', async () => {
    const chromium = await launch();
    const page = await chromium.browser.newPage();
    let isGone = false;
    chromium.browser.once('disconnected', () => {
      isGone = true;
    });
    const waiting = page.evaluate('new Promise(() => {})');
    const refused = assert.rejects(waiting, /closed/);
    chromium.kill();
    await until(() => isGone, 5000);
    await refused;
    assert.equal(chromium.browser.isConnected(), false);
    await chromium.close();
    assert.deepEqual([await chromiumPids(parent), await left()], [[], []]);
  });

  it('ends with all its processes when the library closes it', async () => {
    const chromium = await launch();
    await chromium.browser.newPage();
    await chromium.browser.close();
    assert.deepEqual(await chromiumPids(parent), []);
    await chromium.close();
    assert.deepEqual(await left(), []);
  });

  it('that says nothing is ended at its deadline', async () => {
    const path = await script('silent', 'exec sleep 60');
    const begun = performance.now();
    await assert.rejects(launch(path, 700), /does not start/);
    assert.ok(performance.now() - begun < 10_000);
    assert.deepEqual(await left(), []);
  });

  it('that ends at once is quoted', async () => {
    const path = await script('broken', 'echo "FATAL:broken.cc(1)] no luck" >&2; exit 1');
    await assert.rejects(launch(path), /does not start[\s\S]*no luck/);
    assert.deepEqual(await left(), []);
  });
});
