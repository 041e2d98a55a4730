// Starts and stops every process of one installation on this machine. Each process gets only the settings of its kind.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, startDaemon, stopDaemon, until } from '../services/daemon.ts';
import { commonEnvironment, environmentOf } from '../services/environment.ts';
import { withLock } from '../services/lock.ts';
import { readJson, writeJson } from '../services/place.ts';
import { isListening } from '../services/ports.ts';
import { setSecretsApart } from '../services/secrets.ts';
import { type ServiceName, type Services, serviceNames } from '../services/services.ts';
import { type Member, planMembers, type StackOptions, type StackParts } from './members.ts';

/** A process of ours did not start; its log says why. */
export class PartFailure extends Error {
  readonly what: string;
  readonly log: string;
  constructor(what: string, log: string) {
    super(`${what}; see ${log}`);
    this.what = what;
    this.log = log;
  }
}

type StackFile = { members: Member[] };

const readyWithinMs = 60_000;
/** A process that is told to end may finish its work first, for as long as these say. */
const stopMs = () =>
  12_000 + 1000 * Math.max(...['SERVER_DRAIN_SECS', 'HOST_DRAIN_SECS'].map((name) => Number(process.env[name] ?? 0)));
/** More than the migration gives itself. */
const migratedWithinMs = 90_000;

/**
 * A whole installation on this machine: services, schema, and every process a real one with a log of its own. Any part
 * can be shot and started again by its name (`server-1`, `agent-2`, `browser-1`, `postgres`, `nats`).
 */
export function createStack(services: Services, parts: StackParts) {
  const { name } = services.place;
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

  function launchAll(members: Member[]): Member[] {
    const launched = (member: Member) => launch(member, { log: logOf(member), cwd: parts.cwd });
    const started = members.map((member) => (member.daemon && isAlive(member.daemon) ? member : launched(member)));
    const others = read().members.filter((one) => !started.some(({ name: part }) => part === one.name));
    write([...others, ...started]);
    return started;
  }
  /** Alone only until they are launched: another part may have to start before these can become ready. */
  async function startMembers(choose: () => Promise<Member[]>): Promise<void> {
    const started = await alone(async () => launchAll(await choose()));
    await Promise.all(started.map((member) => waitUntilReady(member, logOf(member))));
  }

  async function stopMembers(): Promise<void> {
    const { members } = read();
    const [hosts, others] = [members.filter(isHost), members.filter((member) => !isHost(member))];
    // Hosts first: agents store the last states of their browsers.
    for (const group of [hosts, others])
      await Promise.all(group.map(({ daemon }) => daemon && stopDaemon(daemon, 'SIGTERM', stopMs())));
    write(members.map((member) => ({ ...member, daemon: null })));
  }

  return {
    services,

    /** From whatever is there to everything ready. */
    up: (options: StackOptions): Promise<void> =>
      startMembers(async () => {
        await refuseTakenPorts(options, read());
        if (options.servers > 0) await parts.buildConsole?.();
        await services.up();
        await migrate(options.migration ?? parts.migrate, { services, cwd: parts.cwd });
        // What an earlier stack of another shape left running is not part of this one.
        if (read().members.length > 0) await stopMembers();
        write([]);
        return planMembers(services, options, parts);
      }),

    /** Ends the part as a crash would. */
    async kill(part: string, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
      if (isService(part)) return services.kill(part);
      await alone(async () => {
        const member = memberOf(part);
        if (member.daemon) await stopDaemon(member.daemon, signal, stopMs());
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

    status: () => ({ name, ...statusOf(read().members, logOf), services: services.status() }),
  };
}
export type Stack = ReturnType<typeof createStack>;

const isHost = ({ kind }: Member) => kind === 'browser';

/** The same command that operators run, and its words in a log of their own. */
async function migrate(program: string, { services, cwd }: { services: Services; cwd: string }): Promise<void> {
  const log = join(services.place.dir, 'migrate.log');
  const out = openSync(log, 'a', 0o600);
  const secrets = setSecretsApart({ ...commonEnvironment(), DATABASE_URL: services.databaseUrl() });
  const child = spawn(process.execPath, [program], {
    cwd,
    env: secrets.env,
    stdio: ['ignore', out, out, ...secrets.stdio],
    timeout: migratedWithinMs,
    killSignal: 'SIGKILL',
  });
  secrets.send(child);
  closeSync(out);
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new PartFailure('the migration failed', log);
}

/** What many tasks that think make is thrown away sooner: an agent grows half as much by them, and is no slower. */
const flagsOf = ({ kind }: Member): string[] => (kind === 'agent' ? ['--max-semi-space-size=4'] : []);

function launch(member: Member, { log, cwd }: { log: string; cwd: string }): Member {
  const env = { ...environmentOf(member.kind), ...member.env };
  const args = [...flagsOf(member), member.program, ...member.args];
  return { ...member, daemon: startDaemon(process.execPath, args, { log, cwd, env }) };
}

async function waitUntilReady(member: Member, log: string): Promise<void> {
  const isUp = async () => {
    if (!member.daemon || !isAlive(member.daemon)) throw new PartFailure(`${member.name} ended at once`, log);
    return fetch(`http://127.0.0.1:${member.opsPort}/ready`, { signal: AbortSignal.timeout(1000) }).then(
      (answer) => answer.ok,
      () => false,
    );
  };
  if (!(await until(isUp, readyWithinMs, 50))) throw new PartFailure(`${member.name} did not become ready`, log);
}

function statusOf(members: Member[], logOf: (member: Member) => string) {
  return {
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
  };
}

/** Better said before anything starts than found in the log of the second server. */
async function refuseTakenPorts({ port, servers }: StackOptions, { members }: StackFile): Promise<void> {
  const ours = new Set(members.filter(({ daemon }) => daemon && isAlive(daemon)).map((one) => one.port));
  for (let wanted = port; wanted < port + servers; wanted++) {
    if (!ours.has(wanted) && (await isListening(wanted)))
      throw new Error(`port ${wanted} is taken; choose another with --port`);
  }
}
