import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { soon } from '../../testing/stage.ts';
import { within } from '../common/deadline.ts';
import { launchChromium } from './launch.ts';
import { checkSandbox } from './sandbox-check.ts';
import { createUsers } from './unix-users.ts';

const shell = '/usr/lib/chromium/chromium-headless-shell';
const full = '/usr/lib/chromium/chromium';
const users = createUsers({ firstUid: process.getuid?.() === 0 ? 34_000 : undefined, count: 4 });

describe('the check of the sandbox', () => {
  let parent: string;
  before(async () => {
    parent = await mkdtemp(join(tmpdir(), 'pilothouse-sandbox-'));
    // The browsers' own users must get through to their folders inside.
    await chmod(parent, 0o711);
  });
  after(() => rm(parent, { recursive: true, force: true }));
  const settings = (path: string, hasSandbox = true) => ({ path, parent, users, hasSandbox, timeoutMs: 20_000 });
  const left = async () => (await readdir(parent)).filter((name) => name.startsWith('s-'));
  const script = async (name: string, line: string) => {
    const path = join(parent, name);
    await writeFile(path, `#!/bin/sh\n${line}\n`, { mode: 0o755 });
    return path;
  };

  it('passes where it works', async () => {
    await checkSandbox(settings(shell));
    assert.deepEqual(await left(), []);
  });

  it('says what is wrong where the program is missing', async () => {
    await assert.rejects(
      checkSandbox(settings('/nowhere/chromium')),
      /SettingsError[\s\S]*CHROMIUM_PATH.*does not start|no such/,
    );
    assert.deepEqual(await left(), []);
  });

  it('refuses a Chromium that was talked out of its sandbox', async () => {
    const path = await script('open', `exec '${shell}' --no-sandbox "$@"`);
    await assert.rejects(checkSandbox(settings(path)), /pages run without a sandbox/);
    await checkSandbox(settings(path, false));
    assert.deepEqual(await left(), []);
  });

  it('passes with WebGL, whose process Chromium leaves without a sandbox of its own, and only then', async () => {
    await checkSandbox({ ...settings(shell), hasWebgl: true });
    const path = await script('drawing', `exec '${shell}' --enable-unsafe-swiftshader --use-angle=swiftshader "$@"`);
    const drawing = { ...settings(path), hasWebgl: true };
    const chromium = await launchChromium(drawing);
    const page = await chromium.browser.newPage();
    const webgl = `document.createElement('canvas').getContext('webgl') !== null`;
    assert.equal(await page.evaluate(webgl), true);
    await chromium.close();
    const without = await launchChromium(settings(shell));
    assert.equal(await (await without.browser.newPage()).evaluate(webgl), false);
    await without.close();
  });

  it('refuses one process without a sandbox among others that have one', async () => {
    const path = await script('gpu', `exec '${shell}' --disable-gpu-sandbox "$@"`);
    await assert.rejects(checkSandbox(settings(path)), /its process "gpu-process" runs without its sandbox/);
  });

  it('says so where the program is missing that puts the filter on', { skip: process.getuid?.() !== 0 }, () => {
    const code = `import { checkSandbox } from '${import.meta.dirname}/sandbox-check.ts';
      import { createUsers } from '${import.meta.dirname}/unix-users.ts';
      const users = createUsers({ firstUid: 34_010, count: 1 });
      const settings = { path: '${shell}', parent: '${parent}', users, hasSandbox: true, timeoutMs: 20_000 };
      await checkSandbox(settings).catch((error) => console.log(error.message));`;
    const hidden = 'mount --bind /dev/null /usr/bin/perl && exec "$0" --input-type=module-typescript --eval "$1"';
    const args = ['--mount', 'sh', '-c', hidden, process.execPath, code];
    const { stdout } = spawnSync('unshare', args, { encoding: 'utf8', timeout: 60_000 });
    assert.match(stdout, /CHROMIUM_PATH: perl is missing, which puts the filter of system calls on each browser/);
  });

  it('does not wait for ever for one that starts and then stands still', async () => {
    // Its first process goes on, and none that it would show a page with ever begins to.
    const sleeping = await script('sleeping', 'exec sleep 60');
    const path = await script(
      'still',
      `exec '${shell}' --renderer-cmd-prefix='${sleeping}' --no-zygote --no-sandbox "$@"`,
    );
    const checked = within(soon(15_000), checkSandbox({ ...settings(path), timeoutMs: 4000 }));
    await assert.rejects(checked, /CHROMIUM_PATH.*shows no page in time/);
    assert.deepEqual(await left(), []);
  });

  // As on a system that lets nobody make user namespaces.
  const without = ['--user', '--map-user=1234', '--keep-caps', 'sh', '-c'];
  const forbid = 'echo 0 >/proc/sys/user/max_user_namespaces';
  const canForbid = spawnSync('unshare', [...without, forbid]).status === 0;
  it('says how to allow it where the system forbids it', { skip: !canForbid }, async () => {
    const path = await script('walled', `exec unshare ${without.join(' ')} '${forbid}; exec ${shell} "$@"' sh "$@"`);
    await assert.rejects(checkSandbox(settings(path)), (error: Error) => {
      assert.match(error.message, /CHROMIUM_PATH: Chromium finds no sandbox that it could use/);
      assert.match(error.message, /userns_clone[\s\S]*CHROMIUM_DANGEROUSLY_WITHOUT_SANDBOX=true/);
      return true;
    });
    assert.deepEqual(await left(), []);
  });

  it('passes for the whole of Chromium too, which then shows pages', { skip: !existsSync(full) }, async () => {
    await checkSandbox(settings(full));
    const chromium = await launchChromium(settings(full));
    const page = await chromium.browser.newPage();
    await page.setContent('<title>Whole</title>');
    assert.equal(await page.title(), 'Whole');
    const shot = await page.screenshot({ type: 'jpeg' });
    assert.deepEqual([...shot.subarray(0, 3)], [0xff, 0xd8, 0xff]);
    assert.match(await page.evaluate<string>('navigator.userAgent'), /HeadlessChrome/);
    await chromium.close();
    assert.deepEqual(await left(), []);
  });
});
