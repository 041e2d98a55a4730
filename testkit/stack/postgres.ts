import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import pg from 'pg';
import { type Daemon, isAlive, startDaemon, startTime, stopDaemon, until } from './daemon.ts';
import { commonEnvironment } from './environment.ts';
import { ownedDir, type StackFolder } from './folders.ts';
import { freePort, isListening } from './ports.ts';
import { copyCluster, keepCluster } from './postgres-template.ts';

export type Postgres = {
  port: number;
  /** Of the role that our processes have, which owns its database and has no rights beyond it. */
  password: string;
  /** Of the superuser. A cluster from before there were two roles has none, and ours is the superuser there. */
  adminPassword?: string;
  daemon: Daemon;
};
type Signing = Pick<Postgres, 'port' | 'password' | 'adminPassword'>;

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
export async function startPostgres(place: StackFolder, before: Postgres | undefined): Promise<Postgres> {
  if (before && isAlive(before.daemon)) return before;
  const data = dataOf(place);
  const newPassword = () => randomBytes(16).toString('hex');
  const { password, adminPassword } = before ?? { password: newPassword(), adminPassword: newPassword() };
  await stopForgotten(place);
  if (!before) createCluster(place, data, adminPassword ?? password);
  const port = before && !(await isListening(before.port)) ? before.port : await freePort();
  const daemon = await launch(place, data, { port, password, adminPassword });
  const postgres = { port, password, adminPassword, daemon };
  try {
    await createDatabase(postgres);
  } catch (error) {
    await stopPostgres(postgres);
    throw error;
  }
  return postgres;
}

const dataOf = ({ dataDir }: StackFolder) => join(dataDir, 'postgres');

/** SIGINT is PostgreSQL's fast stop: it does not wait for its clients to leave. */
export const stopPostgres = ({ daemon }: Pick<Postgres, 'daemon'>) => stopDaemon(daemon, 'SIGINT', 20_000);

/** Stops a server on our folder that is written down nowhere, because the command that started it was cut. */
export async function stopForgotten(place: StackFolder): Promise<void> {
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

function createCluster(place: StackFolder, data: string, password: string): void {
  ownedDir(place.dataDir, place.user);
  // Left behind by a start that was cut before it was written down.
  rmSync(data, { recursive: true, force: true });
  ownedDir(data, place.user);
  const version = spawnSync(program('postgres'), ['--version'], { encoding: 'utf8' }).stdout.trim();
  if (!copyCluster(version, data)) {
    runInitdb(place, data);
    keepCluster(version, data);
  }
  setPassword(place, data, password);
  // Loopback only, no socket file outside our folder, room for a dozen processes with a pool each.
  writeFileSync(join(data, 'pilothouse.conf'), `${settings}${isSynced() ? '' : unsynced}`);
  writeFileSync(join(data, 'postgresql.conf'), `include 'pilothouse.conf'\n`, { flag: 'a' });
}

/** The superuser gets a password that nobody keeps. */
function runInitdb(place: StackFolder, data: string): void {
  const passwordFile = join(place.dataDir, 'postgres-password');
  writeFileSync(passwordFile, randomBytes(16).toString('hex'), { mode: 0o600 });
  if (place.user) chownSync(passwordFile, place.user.uid, place.user.gid);
  const made = spawnSync(
    program('initdb'),
    [
      '--pgdata',
      data,
      '--username=postgres',
      '--auth=scram-sha-256',
      `--pwfile=${passwordFile}`,
      '--encoding=UTF8',
      '--locale=C.UTF-8',
      '--no-sync',
      '--no-instructions',
    ],
    { ...place.user, encoding: 'utf8', cwd: place.dataDir, env: commonEnvironment() },
  );
  rmSync(passwordFile);
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? made.stderr}`);
}

/** By PostgreSQL without clients, so that there is no moment with another password. */
function setPassword(place: StackFolder, data: string, password: string): void {
  const input = `alter role postgres password ${pg.escapeLiteral(password)};\n`;
  const options = { ...place.user, encoding: 'utf8', cwd: place.dataDir, env: commonEnvironment(), input } as const;
  const set = spawnSync(program('postgres'), ['--single', '-D', data, '-c', 'fsync=off', 'postgres'], options);
  if (set.status !== 0) throw new Error(`the password was not set: ${set.error?.message ?? set.stderr}`);
}

const settings = `
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 300
timezone = 'UTC'
`;
/** What was committed survives a kill of PostgreSQL, but not a loss of power. */
const unsynced = `
fsync = off
full_page_writes = off
`;
/** Off where a run throws the cluster away: waiting for the disk is most of the time that small tests take. */
const isSynced = () => process.env.TEST_POSTGRES_FSYNC !== 'off';

/** After a kill, backends of the old server may hold its memory for a moment: start until it stays. */
async function launch(place: StackFolder, data: string, signing: Signing): Promise<Daemon> {
  const { port } = signing;
  const log = join(place.dir, 'postgres.log');
  // Not the shell's PG… variables: the server would take them for its own.
  const options = { log, cwd: place.dataDir, env: commonEnvironment(), ...place.user };
  const start = () => startDaemon(program('postgres'), ['-D', data, '-p', String(port)], options);
  let daemon = start();
  const ready = await until(
    async () => {
      if (!isAlive(daemon)) daemon = start();
      return isListening(port).then((yes) => yes && answers(signing));
    },
    20_000,
    50,
  );
  if (ready) return daemon;
  await stopPostgres({ daemon });
  throw new Error(`PostgreSQL did not start; see ${log}`);
}

async function createDatabase(signing: Signing): Promise<void> {
  await withClient(signing, async (client) => {
    const { rowCount: roles } = await client.query('select from pg_roles where rolname = $1', [role]);
    if (roles === 0) await client.query(`create role ${role} login password ${pg.escapeLiteral(signing.password)}`);
    const { rowCount: databases } = await client.query('select from pg_database where datname = $1', [database]);
    if (databases === 0) await client.query(`create database ${database} owner ${role}`);
  });
}

const answers = (signing: Signing) =>
  withClient(signing, (client) => client.query('select 1')).then(
    () => true,
    () => false,
  );

async function withClient<T>(signing: Signing, use: (client: pg.Client) => Promise<T>) {
  const connectionString = postgresAdminUrl(signing, 'postgres');
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2000 });
  client.on('error', () => {});
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** Debian keeps the server's programs off the PATH, in a folder per version: take the newest. */
function program(name: string): string {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((v) => join(debian, v, 'bin')), ...(process.env.PATH ?? '').split(delimiter)];
  const found = folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
  if (!found) throw new Error(`${name} not found: run scripts/bootstrap`);
  return found;
}
