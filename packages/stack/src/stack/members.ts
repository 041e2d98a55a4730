// The processes of a stack and the settings of each: which user of the bus, which ports, which secrets.

import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Member as BusMember, passwordsOf, userOf } from '@pilothouse/bus';
import type { Daemon } from '../services/daemon.ts';
import type { Kind } from '../services/environment.ts';
import { freePort } from '../services/ports.ts';
import type { Services } from '../services/services.ts';

/** The programs of an installation. */
export type StackParts = Record<Kind | 'migrate', string> & {
  /** Where its processes work. */
  cwd: string;
  /** Called before a server starts, where the console may have to be built. */
  buildConsole?: () => Promise<unknown>;
};

export type StackOptions = {
  port: number;
  servers: number;
  agents: number;
  browsers: number;
  disableAuth: boolean;
  /** Sites on this machine that its browsers may visit. */
  sites?: string[];
  /** Settings of one kind that beat those of the shell. */
  settings?: Partial<Record<Kind, Record<string, string>>>;
  /** Settings of one part, by its name, that beat all others; an empty one counts as not set. */
  settingsOf?: (part: string) => Record<string, string>;
  /** Other programs than those of the installation, by the name of the part or by its kind. */
  programs?: Record<string, string>;
  /** Another program that makes the schema. */
  migration?: string;
  /** By which address a part reaches the bus, for parts that go through a proxy. */
  busUrlOf?: (part: string, url: string) => string;
};

/** One process of the installation, and its arguments and settings, by which the stack starts it again. */
export type Member = {
  kind: Kind;
  name: string;
  program: string;
  args: string[];
  env: Record<string, string>;
  port: number | null;
  opsPort: number;
  daemon: Daemon | null;
};

export async function planMembers(services: Services, options: StackOptions, parts: StackParts): Promise<Member[]> {
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
    Object.assign(env, options.settings?.[kind], options.settingsOf?.(name));
    const program = options.programs?.[name] ?? options.programs?.[kind] ?? parts[kind];
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
      // Whatever ends this stack ends all of it: nobody would take what leaves.
      const HOST_DRAIN_SECS = process.env.HOST_DRAIN_SECS ?? '0';
      const made = await member('browser', index, { env: { HOST_ID: id, NATS_PASSWORD, HOST_DRAIN_SECS } });
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
