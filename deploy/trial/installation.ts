// One installation of the trial: the folder that `init` wrote, and what compose does with it.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { until } from '../../testkit/until.ts';
import { imageOf } from '../images/targets.ts';
import type { CommandOptions } from './command.ts';
import type { Engine } from './engine.ts';

/** Addresses that count as public, so that the guard of the hosts is as in production. They exist in our network alone. */
const webSubnet = '100.128.7.0/24';
const siteAddress = '100.128.7.10';
export const siteUrl = 'http://shop.harbour-supplies.com/';

const beside = (siteFile: string) => `services:
  site:
    image: node:24-trixie-slim
    command: ["node", "/site.mjs"]
    volumes: ["${siteFile}:/site.mjs:ro"]
    networks: { web: { ipv4_address: ${siteAddress}, aliases: ["${new URL(siteUrl).hostname}"] } }
networks:
  web: { ipam: { config: [{ subnet: "${webSubnet}" }] } }
`;

export type State = { pid: number; isUp: boolean };
export type Installation = {
  folder: string;
  compose(args: string[], options?: Partial<CommandOptions>): Promise<string>;
  /** Brings its folder to this version, which it is already: only the configuration of NATS is written again. */
  renew(): Promise<string>;
  /** Runs commands of a guide in its folder. */
  shell(code: string): Promise<string>;
  /** The first process of a service, and whether the service works as far as its check tells. */
  stateOf(service: string): Promise<State>;
  /** Its addresses in all of its networks. */
  addressesOf(service: string): Promise<string[]>;
  /** What a program of Node in the container of a service prints. */
  node(service: string, program: string, ...args: string[]): Promise<string>;
  /** The same in each container of a service that runs. */
  nodeInEach(service: string, program: string): Promise<string[]>;
};

const upMs = 180_000;

export async function makeInstallation({ docker, shell }: Engine, work: string): Promise<Installation> {
  const folder = join(work, 'installation');
  await mkdir(folder);
  const init = ['run', '--rm', '--network=none', `--volume=${folder}:/out`, imageOf('init', packageJson.version)];
  await docker(init);
  const renew = () => docker([...init, '--renew']);
  const overlay = join(work, 'beside.yaml');
  await writeFile(overlay, beside(join(import.meta.dirname, 'site.mjs')));
  const composeFiles = [join(folder, 'compose.yaml'), overlay];
  const files = composeFiles.flatMap((file) => ['--file', file]);
  const compose: Installation['compose'] = (args, options) =>
    docker(['compose', '--progress=quiet', ...files, ...args], { cwd: folder, timeoutMs: upMs, ...options });
  const idsOf = async (service: string, args = ['--all']) =>
    (await compose(['ps', ...args, '--quiet', service])).split('\n').filter(Boolean);
  const inspect = async (service: string, format: string) => {
    const [id = ''] = await idsOf(service);
    return (await docker(['inspect', `--format=${format}`, id])).trim();
  };
  const node: Installation['node'] = (service, program, ...args) =>
    compose(['exec', '--no-TTY', service, 'node', '-e', program, ...args]);
  return {
    folder,
    compose,
    renew,
    shell: (code) => shell(code, { cwd: folder, env: { COMPOSE_FILE: composeFiles.join(':') } }),
    async stateOf(service) {
      const format =
        '{{.State.Pid}} {{.State.Running}} {{if .State.Health}}{{.State.Health.Status}}{{else}}healthy{{end}}';
      const [pid, isRunning, health] = (await inspect(service, format)).split(' ');
      return { pid: Number(pid), isUp: isRunning === 'true' && health === 'healthy' };
    },
    async addressesOf(service) {
      const found = await inspect(service, '{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}');
      return found.split(' ').filter(Boolean);
    },
    node,
    nodeInEach: async (service, program) =>
      Promise.all((await idsOf(service, [])).map((id) => docker(['exec', id, 'node', '-e', program]))),
  };
}

export const start = ({ compose }: Installation) => compose(['up', '--detach', '--wait', '--wait-timeout', '150']);

/** The way of the first administrator into a new installation, out of the log of its server. */
export async function findInvite({ compose }: Installation): Promise<string> {
  const log = await compose(['logs', '--no-log-prefix', '--no-color', 'server']);
  const token = /\/register#invite=([\w.~-]+)/.exec(log)?.[1];
  if (!token) throw new Error(`the log of the server has no link for the first administrator:\n${log.slice(-2000)}`);
  return token;
}

/** The authority that the proxy made for itself. */
export async function readAuthority({ compose, folder }: Installation): Promise<string> {
  const path = join(folder, '../authority.pem');
  // Made a moment after its start.
  await until(async () => {
    const copied = compose(['cp', 'proxy:/data/caddy/pki/authorities/local/root.crt', path]);
    return copied.then(
      () => true,
      () => false,
    );
  }, 20_000);
  return readFile(path, 'utf8');
}

/** Kills the first process of a service, as a crash would, and waits until another has taken its place and works. */
export async function killAndAwait({ stateOf }: Installation, service: string, timeoutMs: number): Promise<void> {
  const before = await stateOf(service);
  if (!before.isUp) throw new Error(`${service} is not up before it is killed`);
  process.kill(before.pid, 'SIGKILL');
  await until(async () => {
    const now = await stateOf(service);
    return now.isUp && now.pid !== before.pid;
  }, timeoutMs);
}
