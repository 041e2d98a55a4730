import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Member as BusMember, passwordsOf, userOf } from '@pilothouse/bus';
import { buildConsole } from '../console-build.ts';
import { type Daemon, isAlive, startDaemon, stopDaemon, until } from './daemon.ts';
import { commonEnvironment, environmentOf, type Kind } from './environment.ts';
import { readJson, root, writeJson } from './folders.ts';
import { withLock } from './lock.ts';
import { freePort, isListening } from './ports.ts';
import { setSecretsApart } from './secrets.ts';
import { createServices, type ServiceName, serviceNames } from './services.ts';

export type StackOptions = {
  name: string;
  port: number;
  servers: number;
  agents: number;
  browsers: number;
  disableAuth: boolean;
  /** Sites on this machine that its browsers may visit. */
  sites?: string[];
  /** Other programs than those of this tree, by the name of the part or by its kind. */
  programs?: Record<string, string>;
  /** Another program that makes the schema than that of this tree. */
  migration?: string;
  /** By which address a part reaches the bus, for parts that go through a proxy. */
  busUrlOf?: (part: string, url: string) => string;
};

/** One process of ours, with all that is needed to start it again as it was. */
type Member = {
  kind: Kind;
  name: string;
  program: string;
  args: string[];
  env: Record<string, string>;
  port: number | null;
  opsPort: number;
  daemon: Daemon | null;
};
type StackFile = { members: Member[] };

const readyWithinMs = 60_000;
/** More than the migration gives itself. */
const migratedWithinMs = 90_000;

/**
 * A whole installation on this machine: services, schema, and every process a real one with a log of its own. Any part
 * can be shot and started again by its name (`server-1`, `agent-2`, `browser-1`, `postgres`, `nats`).
 */
export function createStack(name: string) {
  const services = createServices(name);
  const file = join(services.place.dir, 'stack.json');
  const read = (): StackFile => readJson<StackFile>(file) ?? { members: [] };
  const write = (members: Member[]) => writeJson(file, { members });
  /** One command at a time: what two of them write down at once, one of them would lose. */
  const alone = <T>(work: () => Promise<T>) => withLock(file, work);
  const logOf = (member: Member) => join(services.place.dir, `${member.name}.log`);

  const isService = (part: string): part is ServiceName => serviceNames.some((service) => service === part);
  const memberOf = (part: string) => {
    const member = read().members.find((one) => one.name === part);
    if (!member) throw new Error(`"${part}" is not a part of the stack "${name}"`);
    return member;
  };
  const remember = (changed: Member) => write(read().members.map((one) => (one.name === changed.name ? changed : one)));

  /** The same command that operators run, and its words in a log of their own. */
  async function migrate(program = join(root, 'packages/store/src/migrate.main.ts')): Promise<void> {
    const log = join(services.place.dir, 'migrate.log');
    const out = openSync(log, 'a', 0o600);
    const secrets = setSecretsApart({ ...commonEnvironment(), DATABASE_URL: services.databaseUrl() });
    const child = spawn(process.execPath, [program], {
      cwd: root,
      env: secrets.env,
      stdio: ['ignore', out, out, ...secrets.stdio],
      timeout: migratedWithinMs,
      killSignal: 'SIGKILL',
    });
    secrets.send(child);
    closeSync(out);
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`the migration failed; see ${log}`);
  }

  function launch(member: Member): Member {
    const env = { ...environmentOf(member.kind), ...member.env };
    return {
      ...member,
      daemon: startDaemon(process.execPath, [member.program, ...member.args], { log: logOf(member), cwd: root, env }),
    };
  }

  async function waitUntilReady(member: Member): Promise<void> {
    const isUp = async () => {
      if (!member.daemon || !isAlive(member.daemon))
        throw new Error(`${member.name} ended at once; see ${logOf(member)}`);
      return fetch(`http://127.0.0.1:${member.opsPort}/ready`, { signal: AbortSignal.timeout(1000) }).then(
        (answer) => answer.ok,
        () => false,
      );
    };
    if (!(await until(isUp, readyWithinMs, 50)))
      throw new Error(`${member.name} did not become ready; see ${logOf(member)}`);
  }

  function launchAll(members: Member[]): Member[] {
    const started = members.map((member) => (member.daemon && isAlive(member.daemon) ? member : launch(member)));
    const others = read().members.filter((one) => !started.some(({ name: part }) => part === one.name));
    write([...others, ...started]);
    return started;
  }
  /** Alone only until they are launched: another part may have to start before these can become ready. */
  async function startMembers(choose: () => Promise<Member[]>): Promise<void> {
    const started = await alone(async () => launchAll(await choose()));
    await Promise.all(started.map(waitUntilReady));
  }

  async function stopMembers(): Promise<void> {
    const { members } = read();
    await Promise.all(members.map(({ daemon }) => daemon && stopDaemon(daemon, 'SIGTERM', 12_000)));
    write(members.map((member) => ({ ...member, daemon: null })));
  }

  return {
    services,

    /** From whatever is there to everything ready. */
    up: (options: Omit<StackOptions, 'name'>): Promise<void> =>
      startMembers(async () => {
        await refuseTakenPorts(options, read());
        if (options.servers > 0) await buildConsole();
        await services.up();
        await migrate(options.migration);
        // What an earlier stack of another shape left running is not part of this one.
        if (read().members.length > 0) await stopMembers();
        write([]);
        return plan(services, options);
      }),

    /** Ends the part as a crash would. */
    async kill(part: string, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
      if (isService(part)) return services.kill(part);
      await alone(async () => {
        const member = memberOf(part);
        if (member.daemon) await stopDaemon(member.daemon, signal, 12_000);
        remember({ ...member, daemon: null });
      });
    },

    /** Starts a part that was killed, as it was. */
    async start(part: string): Promise<void> {
      if (isService(part)) return services.start(part);
      await startMembers(async () => [memberOf(part)]);
    },

    down: ({ wipe }: { wipe: boolean }): Promise<void> =>
      alone(async () => {
        await stopMembers();
        await services.down({ wipe });
      }),

    status() {
      const { members } = read();
      return {
        name,
        base_urls: members.filter((one) => one.kind === 'server').map((one) => `http://127.0.0.1:${one.port}`),
        processes: Object.fromEntries(
          members.map((one) => [
            one.name,
            {
              running: one.daemon !== null && isAlive(one.daemon),
              pid: one.daemon?.pid ?? null,
              port: one.port,
              ops_port: one.opsPort,
              log: logOf(one),
            },
          ]),
        ),
        services: services.status(),
      };
    },
  };
}
export type Stack = ReturnType<typeof createStack>;

async function plan(services: Stack['services'], options: Omit<StackOptions, 'name'>): Promise<Member[]> {
  const numbered = (count: number) => Array.from({ length: count }, (_, i) => i + 1);
  await services.setMembers([
    ...numbered(options.servers).map((index): BusMember => ({ role: 'server', id: String(index) })),
    ...numbered(options.agents).map((index): BusMember => ({ role: 'agent', id: String(index) })),
    ...numbered(options.browsers).map((index): BusMember => ({ role: 'host', id: `browser-${index}` })),
  ]);
  const bus = services.bus();
  const signIn = (member: BusMember) => ({
    NATS_USER: userOf(member),
    NATS_PASSWORD: passwordsOf(bus.passwords, member.role)[member.id] ?? '',
  });
  // The host says how much room it has, and the agents how much of it counts.
  const maxSessions = process.env.HOST_MAX_SESSIONS ?? process.env.HOST_CAPACITY;
  const blobDir = join(services.place.dir, 'blobs');
  mkdirSync(blobDir, { recursive: true });
  const key = profileKeyOf(services.place.dir);
  const withDatabase = { DATABASE_URL: services.databaseUrl(), BLOB_DIR: blobDir, PROFILE_KEY: key };

  const member = async (
    kind: Kind,
    index: number,
    own: Partial<Member> & { env: Record<string, string> },
  ): Promise<Member> => {
    const opsPort = await freePort();
    const name = `${kind}-${index}`;
    const busUrl = options.busUrlOf?.(name, bus.url) ?? bus.url;
    // Where we ask for readiness and send requests, whatever the shell or `.env` says.
    const env = { NATS_URL: busUrl, HOST: '127.0.0.1', OPS_HOST: '127.0.0.1', OPS_PORT: String(opsPort), ...own.env };
    const program = options.programs?.[name] ?? options.programs?.[kind] ?? join(root, 'apps', kind, 'src/main.ts');
    return { kind, name, program, args: [], port: null, opsPort, daemon: null, ...own, env };
  };
  const each = (count: number, make: (index: number) => Promise<Member>) => Promise.all(numbered(count).map(make));

  return [
    await each(options.agents, (index) =>
      member('agent', index, {
        env: {
          ...withDatabase,
          ...signIn({ role: 'agent', id: String(index) }),
          ...(maxSessions !== undefined && { HOST_MAX_SESSIONS: maxSessions }),
        },
      }),
    ),
    await each(options.browsers, async (index) => {
      const id = `browser-${index}`;
      const { NATS_PASSWORD } = signIn({ role: 'host', id });
      const made = await member('browser', index, { env: { HOST_ID: id, NATS_PASSWORD } });
      // As root each session has a user of its own; the port makes them differ from those of every other host here.
      const ports = (options.sites ?? []).map((url) => new URL(url).port);
      const guard: Record<string, string> = ports.length > 0 ? { GUARD_ALLOW_LOOPBACK_PORTS: ports.join(',') } : {};
      return { ...made, env: { ...made.env, ...guard, CHROMIUM_FIRST_UID: String(made.opsPort * 1000) } };
    }),
    await each(options.servers, (index) => {
      const port = options.port + index - 1;
      const args = ['--port', String(port), ...(options.disableAuth ? ['--disable-auth'] : [])];
      const env = { ...withDatabase, ...signIn({ role: 'server', id: String(index) }) };
      return member('server', index, { port, args, env });
    }),
  ].flat();
}

/** The shell's, or one that is kept with the stack: what one run of it sealed, the next has to open. */
function profileKeyOf(dir: string): string {
  if (process.env.PROFILE_KEY) return process.env.PROFILE_KEY;
  const file = join(dir, 'profile.key');
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString('base64'), { mode: 0o600 });
  return readFileSync(file, 'utf8');
}

/** Better said before anything starts than found in the log of the second server. */
async function refuseTakenPorts({ port, servers }: Omit<StackOptions, 'name'>, { members }: StackFile): Promise<void> {
  const ours = new Set(members.filter(({ daemon }) => daemon && isAlive(daemon)).map((one) => one.port));
  for (let wanted = port; wanted < port + servers; wanted++) {
    if (!ours.has(wanted) && (await isListening(wanted)))
      throw new Error(`port ${wanted} is taken; choose another with --port`);
  }
}
