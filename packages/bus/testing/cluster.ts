// Several real nodes of one bus on loopback, with TLS for clients and between nodes; nothing is left behind.

import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BusPasswords, natsConfig, passwordsOf, userOf } from '../src/index.ts';
import { freePort, memberOf, type SignIn, spawnServer, type Who } from './nats.ts';

export interface ClusterForTest {
  /** The addresses of all nodes, as in a setting. */
  urls: string[];
  as(who: Who): SignIn;
  /** Ends a node as a crash would, and waits until it is gone. */
  kill(node: number): Promise<void>;
  /** Starts it again on its port. */
  start(node: number): Promise<void>;
  /** Gives these passwords to all nodes, one after the other, while they run. */
  setPasswords(passwords: BusPasswords): void;
  /** The same by a restart of each: with several nodes, NATS 2.9 has to have it so. */
  restartWith(passwords: BusPasswords): Promise<void>;
  close(): Promise<void>;
}

/** The certificate names `localhost`. */
type Options = {
  nodes: number;
  passwords: BusPasswords;
  certificate: { cert: string; key: string; authority: string };
  /** Another nats-server than the machine's own. */
  program?: string | undefined;
};

/** Until a node that has come back is connected to the others. */
const routedMs = 2000;

export async function startCluster({
  nodes,
  passwords: first,
  certificate,
  program,
}: Options): Promise<ClusterForTest> {
  let passwords = first;
  const directory = await mkdtemp(join(tmpdir(), 'pilothouse-cluster-'));
  const fileOf = (name: string) => join(directory, name);
  const files = { cert: fileOf('cert.pem'), key: fileOf('key.pem'), authority: fileOf('authority.pem') };
  for (const name of ['cert', 'key', 'authority'] as const)
    writeFileSync(files[name], certificate[name], { mode: 0o600 });
  const { authority: _, ...tls } = files;
  const ports = await Promise.all(Array.from({ length: nodes }, freePort));
  const routePorts = await Promise.all(Array.from({ length: nodes }, freePort));
  const routes = routePorts.map((port) => `localhost:${port}`);
  const secret = randomBytes(18).toString('base64url');
  const children: (ChildProcess | undefined)[] = [];
  const configOf = (node: number) => fileOf(`node-${node}.conf`);

  function writeConfig(node: number): void {
    const [port = 0, routePort = 0] = [ports[node], routePorts[node]];
    const cluster = { port: routePort, password: secret, routes, tls: files };
    const text = natsConfig({ port, serverName: `node-${node}`, passwords, tls, cluster });
    writeFileSync(configOf(node), text, { mode: 0o600 });
  }
  async function start(node: number): Promise<void> {
    children[node] = await spawnServer(configOf(node), program);
  }
  async function end(node: number, signal: NodeJS.Signals): Promise<void> {
    const child = children[node];
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  }
  const kill = (node: number) => end(node, 'SIGKILL');
  const killNow = () => children.forEach((child) => void child?.kill('SIGKILL'));
  process.once('exit', killNow);
  async function close(): Promise<void> {
    await Promise.all(ports.map((_port, node) => kill(node)));
    process.removeListener('exit', killNow);
    await rm(directory, { recursive: true, force: true });
  }
  const urls = ports.map((port) => `tls://localhost:${port}`);
  try {
    for (const node of ports.keys()) writeConfig(node);
    await Promise.all(ports.map((_port, node) => start(node)));
  } catch (error) {
    await close();
    throw error;
  }

  return {
    urls,
    as: (who) => {
      const member = memberOf(who);
      const user = userOf(member);
      const password = passwordsOf(passwords, member.role)[member.id];
      if (!password) throw new Error(`no such user in this test: ${user}`);
      return { servers: urls, user, password, name: user };
    },
    kill,
    start,
    setPasswords: (next) => {
      passwords = next;
      for (const node of ports.keys()) {
        writeConfig(node);
        children[node]?.kill('SIGHUP');
      }
    },
    async restartWith(next) {
      passwords = next;
      for (const node of ports.keys()) {
        writeConfig(node);
        await end(node, 'SIGTERM');
        await start(node);
        await sleep(routedMs);
      }
    },
    close,
  };
}
