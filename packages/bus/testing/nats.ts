// A real NATS server for one test: its own port and directory, nothing left behind.

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BusPasswords, type Credentials, type Member, natsConfig, passwordsOf, userOf } from '../src/index.ts';
import { findAskingNats } from './asking-nats.ts';
import { until } from './wait.ts';

export { withoutAskingNats } from './asking-nats.ts';

export interface NatsForTest {
  url: string;
  port: number;
  passwords: BusPasswords;
  /** What connectBus needs to sign in; a role alone means its first member. */
  as(who: Who): SignIn;
  /** Lets a member sign in from now on; present connections stay. */
  admit(who: Who): void;
  /** Disconnects a member, and no longer lets it sign in. */
  remove(who: Who): void;
  /** Ends the server as a crash would, and waits until it is gone. */
  kill(): Promise<void>;
  /** Starts it again on the same port. */
  start(): Promise<void>;
  /** Stops it from answering while its connections look alive. */
  freeze(): Promise<void>;
  thaw(): void;
  close(): Promise<void>;
}

/** With the one password that NATS knows. */
export type SignIn = Credentials & { password: string };

export type Who = 'server' | 'agent' | { server: string } | { agent: string } | { host: string };

const startMs = 5000;

export function memberOf(who: Who): Member {
  if (typeof who === 'string') return { role: who, id: '1' };
  if ('host' in who) return { role: 'host', id: who.host };
  return 'server' in who ? { role: 'server', id: who.server } : { role: 'agent', id: who.agent };
}

export async function startNats({
  servers = ['1'],
  agents = ['1'],
  hosts = [],
  maxPayloadBytes,
  tls,
  joins,
}: {
  servers?: string[];
  agents?: string[];
  hosts?: string[];
  maxPayloadBytes?: number;
  /** A certificate and its key, in PEM. */
  tls?: { cert: string; key: string };
  /** It asks agents whom to let in, and needs to be 2.10 or newer. */
  joins?: { issuer: string };
} = {}): Promise<NatsForTest> {
  const secret = () => randomBytes(18).toString('base64url');
  const secrets = (ids: string[]) => Object.fromEntries(ids.map((id) => [id, secret()]));
  const passwords = { servers: secrets(servers), agents: secrets(agents), hosts: secrets(hosts) };
  const port = await freePort();
  const url = `nats://127.0.0.1:${port}`;
  const directory = await mkdtemp(join(tmpdir(), 'pilothouse-nats-'));
  const config = join(directory, 'nats.conf');
  const files = { cert: join(directory, 'cert.pem'), key: join(directory, 'key.pem') };
  if (tls) for (const name of ['cert', 'key'] as const) writeFileSync(files[name], tls[name], { mode: 0o600 });
  const settings = { port, passwords, maxPayloadBytes, tls: tls && files, joins };
  const program = joins ? (findAskingNats() ?? 'nats-server') : 'nats-server';
  const writeConfig = () => writeFileSync(config, natsConfig(settings), { mode: 0o600 });
  writeConfig();

  let child: ChildProcess | undefined;
  const killNow = () => child?.kill('SIGKILL');
  process.once('exit', killNow);

  async function start() {
    child = await spawnServer(config, program);
  }
  async function kill() {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    killNow();
    await gone;
  }
  function reload() {
    writeConfig();
    child?.kill('SIGHUP');
  }
  async function close() {
    await kill();
    process.removeListener('exit', killNow);
    await rm(directory, { recursive: true, force: true });
  }
  await start().catch(async (error) => {
    await close();
    throw error;
  });

  return {
    url,
    port,
    passwords,
    as: (who) => {
      const member = memberOf(who);
      const user = userOf(member);
      const password = passwordsOf(passwords, member.role)[member.id];
      if (!password) throw new Error(`no such user in this test: ${user}`);
      return { servers: url, user, password, name: user };
    },
    admit: (who) => {
      const { role, id } = memberOf(who);
      passwordsOf(passwords, role)[id] ??= secret();
      reload();
    },
    remove: (who) => {
      const { role, id } = memberOf(who);
      delete passwordsOf(passwords, role)[id];
      reload();
    },
    kill,
    start,
    freeze: async () => {
      child?.kill('SIGSTOP');
      // The signal takes effect a moment later; until then it may still answer.
      const isStopped = async () => / \(nats-server\) T /.test(await readFile(`/proc/${child?.pid}/stat`, 'utf8'));
      await until(isStopped);
    },
    thaw: () => child?.kill('SIGCONT'),
    close,
  };
}

export async function spawnServer(config: string, program = 'nats-server'): Promise<ChildProcess> {
  // Debian installs the server outside of the PATH of an ordinary user.
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` };
  const child = spawn(program, ['-c', config], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let log = '';
  const fail = (why: string) => reject(new Error(`nats-server ${why}\n${log.slice(-2000)}`));
  const timer = setTimeout(() => fail('did not start in time'), startMs);
  // Read to the end: a full pipe would stop the server.
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-4000);
    if (log.includes('Server is ready')) resolve();
  });
  child.once('error', (error) => fail(`could not be started: ${error.message}`));
  child.once('exit', (code) => fail(`ended with ${code}`));
  try {
    await promise;
    return child;
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

// Below the range the system gives to outgoing connections: there, a client that retries while the server is down
// can be given the server's own port, and connect to itself.
export async function freePort(): Promise<number> {
  while (true) {
    const port = randomInt(15_000, 32_000);
    const probe = createServer();
    try {
      await once(probe.listen(port, '127.0.0.1'), 'listening');
      return port;
    } catch {
      // Taken: the next one.
    } finally {
      probe.close();
    }
  }
}
