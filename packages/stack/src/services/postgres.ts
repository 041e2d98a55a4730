// The private PostgreSQL of a stack: its cluster, its roles, its process. On loopback only.

import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Daemon, isAlive, startDaemon, startTime, stopDaemon, until } from './daemon.ts';
import { commonEnvironment } from './environment.ts';
import { ownedDir, type Place } from './place.ts';
import { freePort, isListening } from './ports.ts';

export type Postgres = {
  port: number;
  /** Of the role that our processes have, which owns its database and has no rights beyond it. */
  password: string;
  /** Of the superuser. A cluster from before there were two roles has none, and ours is the superuser there. */
  adminPassword?: string;
  daemon: Daemon;
};
type Signing = Pick<Postgres, 'port' | 'password' | 'adminPassword'>;

/** The programs of one PostgreSQL, and how its cluster is made. */
export type PostgresProgram = {
  postgres: string;
  initdb: string;
  /** The folders of libraries that are not the system's, with colons between. */
  libraries?: string;
  /** Clusters as initdb makes them, to copy: it takes a second of the processor. */
  templates?: ClusterTemplates;
  /** False where the cluster is thrown away: it then survives a kill of PostgreSQL, but no loss of power. */
  isSynced: boolean;
};
export type ClusterTemplates = {
  /** Returns whether there was one of this version. */
  copy(version: string, data: string): boolean;
  keep(version: string, data: string): void;
};

const database = 'pilothouse';
const role = 'pilothouse';

export function postgresUrl({ port, password }: Pick<Postgres, 'port' | 'password'>): string {
  return `postgresql://${role}:${password}@127.0.0.1:${port}/${database}`;
}

/** For tests and scripts that create databases; no process of ours has it. */
export function postgresAdminUrl({ port, password, adminPassword }: Signing, name = database): string {
  const [user, secret] = adminPassword === undefined ? [role, password] : ['postgres', adminPassword];
  return `postgresql://${user}:${secret}@127.0.0.1:${port}/${name}`;
}

/** Starts the private cluster, making it first where there is none; does nothing when it runs. */
export async function startPostgres(
  place: Place,
  before: Postgres | undefined,
  program: PostgresProgram,
): Promise<Postgres> {
  if (before && isAlive(before.daemon)) return before;
  const newPassword = () => randomBytes(16).toString('hex');
  const { password, adminPassword } = before ?? { password: newPassword(), adminPassword: newPassword() };
  await stopForgotten(place);
  if (!before) createCluster(place, program, { password, adminPassword: adminPassword ?? password });
  const port = before && !(await isListening(before.port)) ? before.port : await freePort();
  const daemon = await launch(place, program, port);
  return { port, password, adminPassword, daemon };
}

const dataOf = ({ dataDir }: Place) => join(dataDir, 'postgres');

/** SIGINT is PostgreSQL's fast stop: it does not wait for its clients to leave. */
export const stopPostgres = ({ daemon }: Pick<Postgres, 'daemon'>) => stopDaemon(daemon, 'SIGINT', 20_000);

/** Stops a server on our folder that is written down nowhere, because the command that started it was cut. */
export async function stopForgotten(place: Place): Promise<void> {
  const pidFile = join(dataOf(place), 'postmaster.pid');
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, 'utf8').split('\n', 1)[0]);
  // The pid may belong to another process by now; a PostgreSQL works in its data folder.
  const startedAt = workingDirOf(pid) === dataOf(place) ? startTime(pid) : undefined;
  if (startedAt) await stopPostgres({ daemon: { pid, startedAt } });
}

function workingDirOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

function createCluster(
  place: Place,
  program: PostgresProgram,
  passwords: { password: string; adminPassword: string },
): void {
  const data = dataOf(place);
  ownedDir(place.dataDir, place.user);
  // Left behind by a start that was cut before it was written down.
  rmSync(data, { recursive: true, force: true });
  ownedDir(data, place.user);
  const env = environmentFor(program);
  const { stdout, error } = spawnSync(program.postgres, ['--version'], { encoding: 'utf8', env });
  if (error) throw new Error(`${program.postgres} cannot be started: ${error.message}`);
  if (!program.templates?.copy(stdout.trim(), data)) {
    runInitdb(place, program);
    program.templates?.keep(stdout.trim(), data);
  }
  createDatabase(place, program, passwords);
  // Loopback only, no socket file outside our folder, room for a dozen processes with a pool each.
  writeFileSync(join(data, 'pilothouse.conf'), `${settings}${program.isSynced ? '' : unsynced}`);
  writeFileSync(join(data, 'postgresql.conf'), `include 'pilothouse.conf'\n`, { flag: 'a' });
}

/** The superuser gets a password that nobody keeps. */
function runInitdb(place: Place, program: PostgresProgram): void {
  const passwordFile = join(place.dataDir, 'postgres-password');
  writeFileSync(passwordFile, randomBytes(16).toString('hex'), { mode: 0o600 });
  if (place.user) chownSync(passwordFile, place.user.uid, place.user.gid);
  const made = spawnSync(
    program.initdb,
    [
      '--pgdata',
      dataOf(place),
      '--username=postgres',
      '--auth=scram-sha-256',
      `--pwfile=${passwordFile}`,
      '--encoding=UTF8',
      '--locale=C.UTF-8',
      '--no-sync',
      '--no-instructions',
    ],
    { ...place.user, encoding: 'utf8', cwd: place.dataDir, env: environmentFor(program) },
  );
  rmSync(passwordFile);
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? made.stderr}`);
}

/** By PostgreSQL without clients, so that there is no moment with another password. It reads one statement a line. */
function createDatabase(
  place: Place,
  program: PostgresProgram,
  { password, adminPassword }: { password: string; adminPassword: string },
): void {
  // Passwords are hexadecimal: there is nothing in them to escape.
  const input = [
    `alter role postgres password '${adminPassword}';`,
    `create role ${role} login password '${password}';`,
    `create database ${database} owner ${role};`,
    '',
  ].join('\n');
  const options = { ...place.user, encoding: 'utf8', cwd: place.dataDir, env: environmentFor(program), input } as const;
  const args = ['--single', '-D', dataOf(place), '-c', 'fsync=off', 'postgres'];
  const { status, error, stderr } = spawnSync(program.postgres, args, options);
  // A statement that fails is only said; the others go on.
  if (status !== 0 || /ERROR:/.test(stderr)) throw new Error(`the database was not made: ${error?.message ?? stderr}`);
}

const environmentFor = ({ libraries }: Pick<PostgresProgram, 'libraries'>) => ({
  // Not the shell's PG… variables: the server would take them for its own.
  ...commonEnvironment(),
  ...(libraries && { LD_LIBRARY_PATH: libraries }),
});

const settings = `
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 300
timezone = 'UTC'
`;
const unsynced = `
fsync = off
full_page_writes = off
`;

/** After a kill, backends of the old server may hold its memory for a moment: start until it stays. */
async function launch(place: Place, program: PostgresProgram, port: number): Promise<Daemon> {
  const log = join(place.dir, 'postgres.log');
  const options = { log, cwd: place.dataDir, env: environmentFor(program), ...place.user };
  const start = () => startDaemon(program.postgres, ['-D', dataOf(place), '-p', String(port)], options);
  let daemon = start();
  const ready = await until(
    async () => {
      if (!isAlive(daemon)) daemon = start();
      return isReady(place, daemon) && isListening(port);
    },
    20_000,
    50,
  );
  if (ready) return daemon;
  await stopPostgres({ daemon });
  throw new Error(`PostgreSQL did not start; see ${log}`);
}

/** What the server itself notes in its folder, which needs no login. A file of a server before it has another pid. */
function isReady(place: Place, { pid }: Daemon): boolean {
  const file = join(dataOf(place), 'postmaster.pid');
  if (!existsSync(file)) return false;
  const lines = readFileSync(file, 'utf8').split('\n');
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
}
