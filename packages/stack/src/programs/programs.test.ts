import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { findChromium, ofPlaywright } from './chromium.ts';
import { inspectMachine, system, user } from './machine.ts';
import { linkLibraries } from './services.ts';

describe('what a machine has', () => {
  const folder = mkdtempSync(join(tmpdir(), 'programs-'));
  after(() => rmSync(folder, { recursive: true }));
  const put = (path: string) => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '');
    return file;
  };

  it('is refused where Pilothouse cannot run, with what to do', () => {
    assert.equal(system('linux', 'x64', '6.1.0-13-amd64').isMissing, false);
    for (const [platform, arch, kernel] of [
      ['darwin', 'arm64', '24.0.0'],
      ['linux', 'riscv64', '6.1.0'],
      ['linux', 'x64', '5.8.0'],
    ] as const) {
      const { isMissing, hint } = system(platform, arch, kernel);
      assert.equal(isMissing, true, platform);
      assert.match(hint ?? '', /Linux/);
    }
    assert.match(user(0).hint ?? '', /ordinary user/);
    assert.equal(user(1000).isMissing, false);
  });

  it('is named with a way to get what is missing', () => {
    const findings = inspectMachine();
    assert.deepEqual(
      findings.filter(({ isMissing, hint }) => isMissing && !hint),
      [],
    );
    assert.ok(findings.some(({ name }) => name === 'Chromium'));
  });

  it('is the Chromium of the setting, also where there are others', () => {
    const chosen = put('own/chrome');
    assert.equal(findChromium({ CHROMIUM_PATH: chosen }), chosen);
    assert.equal(findChromium({ CHROMIUM_PATH: join(folder, 'nowhere') }), undefined);
  });

  it('is the newest headless shell that Playwright fetched', () => {
    put('cache/chromium_headless_shell-999/chrome-linux/headless_shell');
    const newest = put('cache/chromium_headless_shell-1200/chrome-headless-shell-linux64/chrome-headless-shell');
    put('cache/chromium-1300/chrome-linux64/chrome');
    assert.equal(ofPlaywright(join(folder, 'cache')), newest);
    assert.equal(ofPlaywright(join(folder, 'none')), undefined);
  });

  it('gets the links that libraries need, also where older ones lead nowhere', () => {
    const real = put('package/native/lib/libx.so.1.2');
    const list = [{ source: 'native/lib/libx.so.1.2', target: 'native/lib/libx.so.1' }];
    writeFileSync(join(folder, 'package/native/pg-symlinks.json'), JSON.stringify(list));
    for (let round = 0; round < 2; round++) {
      const found = linkLibraries(join(folder, 'package/native'), join(folder, 'links'));
      assert.deepEqual(found.split(':'), [join(folder, 'links'), dirname(real)]);
      assert.equal(readlinkSync(join(folder, 'links/libx.so.1')), real);
    }
  });
});
