import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { chromium } from 'playwright-core';
import { chromiumArgs, libraryArgs } from './flags.ts';

describe('the command line of Chromium', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pilothouse-flags-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('has what the installed browser library would start it with', async () => {
    const [program, said] = [join(folder, 'program'), join(folder, 'said')];
    await writeFile(program, `#!/bin/sh\nprintf '%s\\n' "$@" >'${said}'\nexit 1\n`, { mode: 0o755 });
    await assert.rejects(chromium.launch({ executablePath: program, chromiumSandbox: true, timeout: 10_000 }));
    const given = (await readFile(said, 'utf8')).trim().split('\n');
    const ours = [...libraryArgs, '--user-data-dir', '--remote-debugging-pipe', '--no-startup-window'];
    assert.deepEqual(
      given.map((arg) => arg.replace(/^(--user-data-dir)=.*/, '$1')),
      ours,
    );
  });

  const options = { profile: '/p', guardUrl: 'http://127.0.0.1:1', hasSandbox: true, hasWebgl: false, more: [] };

  it('opens no port, and is driven by a pipe', () => {
    const args = chromiumArgs(options);
    assert.ok(args.includes('--remote-debugging-pipe'));
    assert.ok(!args.some((arg) => arg.startsWith('--remote-debugging-port')));
  });

  it('keeps the sandbox unless the operator goes without, and draws no WebGL unless asked to', () => {
    assert.ok(!chromiumArgs(options).includes('--no-sandbox'));
    assert.ok(chromiumArgs({ ...options, hasSandbox: false }).includes('--no-sandbox'));
    const webgl = '--enable-unsafe-swiftshader';
    assert.ok(!chromiumArgs(options).includes(webgl));
    assert.ok(chromiumArgs({ ...options, hasWebgl: true }).includes(webgl));
  });

  it('has one list of features, with ours in it, and the guard as its only way out', () => {
    const args = chromiumArgs(options);
    const lists = args.filter((arg) => arg.startsWith('--enable-features='));
    assert.equal(lists.length, 1);
    assert.match(lists[0] ?? '', /,NetworkServiceSandbox$/);
    assert.ok(args.includes('--proxy-server=http://127.0.0.1:1'));
    assert.ok(args.includes('--proxy-bypass-list=<-loopback>'));
  });
});
