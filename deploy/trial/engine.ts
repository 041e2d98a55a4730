// A Docker engine of the trial's own, out of a folder: nothing of it is installed on the machine. It runs inside
// namespaces that `namespaces.ts` made, so its mounts, processes and networks end with them.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { root } from '../../testkit/stack/folders.ts';
import { until } from '../../testkit/until.ts';
import { type CommandOptions, type CommandResult, runCommand, tryCommand } from './command.ts';

const startMs = 60_000;
const stopMs = 30_000;
/** Its root becomes the tree. By chroot alone, no container could make the user namespaces that a sandbox needs. */
const enterTree = 'cd "$0" && mkdir -p old && pivot_root . old && cd / && umount -l /old && exec "$@"';

export type Engine = {
  /** Runs the client; throws unless it ends well. */
  docker(args: string[], options?: Partial<CommandOptions>): Promise<string>;
  tryDocker(args: string[], options?: Partial<CommandOptions>): Promise<CommandResult>;
  /** Runs commands of a guide as they are written there, `docker` among them; throws unless each ends well. */
  shell(code: string, options?: Partial<CommandOptions>): Promise<string>;
  close(): Promise<void>;
};

export type EngineOptions = {
  /** The tree of the engine. */
  tree: string;
  /** A folder of this trial: data, sockets and the installation are in it. Groups of processes have its name. */
  work: string;
  /** Whether it makes networks for containers; in the machine's own network it must not. */
  hasNetworks: boolean;
};

export async function startEngine({ tree, work, hasNetworks }: EngineOptions): Promise<Engine> {
  await mountTree(tree, work);
  if (hasNetworks) await runCommand(['ip', 'link', 'set', 'lo', 'up'], { timeoutMs: 10_000 });
  const socket = join(work, 'docker.sock');
  const group = basename(work);
  const network = hasNetworks ? [] : ['--bridge=none', '--iptables=false', '--ip6tables=false'];
  const log = await open(join(work, `dockerd-${hasNetworks ? 'run' : 'build'}.log`), 'w');
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: work, DOCKER_CONFIG: join(work, 'client'), TMPDIR: work };
  const flags = [`--data-root=${work}/data`, `--exec-root=${work}/exec`, `--pidfile=${work}/docker.pid`].concat(
    '--init-path=/usr/bin/tini-static',
  );
  const command = ['dockerd', `--host=unix://${socket}`, `--cgroup-parent=/${group}`, ...flags, ...network];
  const daemon = spawn(
    'unshare',
    ['--mount', '--propagation=private', 'sh', '-c', enterTree, tree, ...command, '--log-level=warn', '--group='],
    { env, stdio: ['ignore', log.fd, log.fd] },
  );
  const ended = Promise.withResolvers<void>();
  daemon.once('exit', () => ended.resolve());
  const enter = ['chroot', tree, 'sh', '-c', 'cd "$0" && exec "$@"'];
  const line = (args: string[], cwd = work) => [...enter, cwd, 'docker', `--host=unix://${socket}`, ...args];
  const tryDocker: Engine['tryDocker'] = (args, { cwd, ...options } = {}) =>
    tryCommand(line(args, cwd), { timeoutMs: 120_000, env, ...options });
  const docker: Engine['docker'] = (args, { cwd, ...options } = {}) =>
    runCommand(line(args, cwd), { timeoutMs: 120_000, env, ...options });
  const shell: Engine['shell'] = (code, { cwd = work, ...options } = {}) =>
    runCommand([...enter, cwd, 'bash', '-euo', 'pipefail', '-c', code], {
      timeoutMs: 300_000,
      ...options,
      env: { ...env, DOCKER_HOST: `unix://${socket}`, ...options.env },
    });
  const close = async () => {
    daemon.kill('SIGTERM');
    const timer = setTimeout(() => daemon.kill('SIGKILL'), stopMs);
    await ended.promise;
    clearTimeout(timer);
    await log.close();
  };
  try {
    await until(async () => {
      if (daemon.exitCode !== null) throw new Error('the engine ended');
      return existsSync(socket) && (await tryDocker(['version'])).code === 0;
    }, startMs);
  } catch (error) {
    await close();
    const said = await readFile(join(work, `dockerd-${hasNetworks ? 'run' : 'build'}.log`), 'utf8');
    throw new Error(`the engine does not start:\n${said.slice(-3000)}`, { cause: error });
  }
  return { docker, tryDocker, shell, close };
}

/** What a program in the tree needs of the machine. These mounts are seen only in our namespace. */
async function mountTree(tree: string, work: string): Promise<void> {
  const mount = (...args: string[]) => runCommand(['mount', ...args], { timeoutMs: 10_000 });
  await mount('--bind', tree, tree);
  for (const path of ['proc', 'sys', 'dev', 'run', 'tmp', 'etc']) await mkdir(join(tree, path), { recursive: true });
  await mount('-t', 'proc', 'proc', join(tree, 'proc'));
  await mount('--rbind', '/sys', join(tree, 'sys'));
  await mount('--rbind', '/dev', join(tree, 'dev'));
  // Tmpfs before the folders of the trial, which may lie below one of them.
  for (const path of ['run', 'tmp']) await mount('-t', 'tmpfs', 'tmpfs', join(tree, path));
  // The checkout, this trial, and where the stand-ins are.
  for (const path of [root, work, dirname(tree)]) {
    await mkdir(join(tree, path), { recursive: true });
    await mount('--bind', path, join(tree, path));
  }
  await runCommand(['touch', join(tree, 'etc/resolv.conf')], { timeoutMs: 10_000 });
  await mount('--bind', '/etc/resolv.conf', join(tree, 'etc/resolv.conf'));
}
